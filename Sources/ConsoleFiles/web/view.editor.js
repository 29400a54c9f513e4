import { Editor } from "./editor.js";
import { Sync } from "./sync.js";

/** The editor for one user, shown as the client that the address names. */
export async function open({ user, query, go }) {
  const client = { platform: query.get("platform") ?? "", appVersion: query.get("appVersion") ?? "" };
  const editor = new Editor(await new Sync(user, client).start());
  editor.onclient = go;
  return editor;
}
