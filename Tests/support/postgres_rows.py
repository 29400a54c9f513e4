"""A second opinion on a database in PostgreSQL: read by psql, every checksum computed again (faults.Rows)."""
import json

import faults


class PostgresRows(faults.Rows):
    def __init__(self, cluster, database):
        self.findings, self._cluster, self._database = [], cluster, database
        self._read(self)

    def execute(self, query):
        """The rows of a query. A row is a line of JSON, bytes are in hexadecimal there."""
        lines = self._cluster.sql("SELECT to_json(t) FROM (%s) AS t" % query, self._database)
        for line in lines.splitlines():
            yield tuple(bytes.fromhex(value[2:]) if isinstance(value, str) and value.startswith("\\x") else value
                        for value in json.loads(line).values())
