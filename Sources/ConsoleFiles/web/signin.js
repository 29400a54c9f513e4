// A token, kept in memory alone: pasted, or brought by a login link in the part of the address that no server sees.
import { session } from "./api.js";
import { h } from "./dom.js";
import { words } from "./words.js";

/** The token of `/console#token=…`, taken out of the address and the history at once; "" where there is none. */
export function tokenFromAddress() {
  const [, token] = /^#token=([A-Za-z0-9._~+/=-]+)$/.exec(location.hash) ?? [];
  if (!token) return "";
  history.replaceState(null, "", location.pathname);
  return token;
}

/** Whose token it is, for what to show first; the server alone decides what it allows. undefined where it does not say. */
export function subject() {
  try {
    const payload = session.token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(payload), (c) => c.charCodeAt(0)))).sub;
  } catch {
    return undefined;
  }
}

export function signIn(fault, accept) {
  const token = h("textarea", { id: "token", name: "token", rows: "4", required: true, spellcheck: "false", autocomplete: "off", "aria-describedby": "token-how", "aria-invalid": !!fault && "true" });
  return h("form.empty.sign-in", { onsubmit: (event) => (event.preventDefault(), accept(token.value.replace(/\s/g, ""))) },
    h("img", { src: "/console/logo.svg", alt: "", width: 56, height: 56 }), h("h1", {}, words.signIn),
    h("p", { id: "token-how" }, words.signInHow), fault && h("p.fault", { role: "alert" }, fault),
    h("label", {}, h("span", {}, words.token), token), h("button.primary", {}, words.signIn),
    h("p.muted", {}, words.signInMint), h("pre", { tabindex: "0" }, "pegboard token mint --user alice --console"));
}
