"""Asks conv-lsp-server what it says at a place of a text, and prints the answer.

    ask_language_server.py (completion | hover) FILE NEEDLE

The place is behind the first NEEDLE in FILE. A completion is printed as its labels, a line
each, a hover as its text.
"""

import json
import subprocess
import sys

URI = "file:///module.mlir"


class Server:
    def __init__(self):
        self.process = subprocess.Popen(
            ["conv-lsp-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def send(self, **message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        size = 0
        while line := self.process.stdout.readline().strip():
            name, value = line.split(b":")
            if name.lower() == b"content-length":
                size = int(value)
        if not size:
            sys.exit("the server has ended")
        return json.loads(self.process.stdout.read(size))

    def ask(self, method, **params):
        self.send(id=method, method=method, params=params)
        while (answer := self.receive()).get("id") != method:
            pass
        return answer["result"]


def find(text, needle):
    end = text.index(needle) + len(needle)
    start = text.rfind("\n", 0, end) + 1
    return {"line": text.count("\n", 0, end), "character": end - start}


def main(what, path, needle):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    server = Server()
    server.ask("initialize", processId=None, capabilities={}, rootUri=None)
    document = {"uri": URI, "languageId": "mlir", "version": 1, "text": text}
    server.send(method="textDocument/didOpen", params={"textDocument": document})
    answer = server.ask(
        f"textDocument/{what}", textDocument={"uri": URI}, position=find(text, needle)
    )
    if what == "completion":
        print("\n".join(sorted(item["label"] for item in answer["items"])))
    else:
        print(answer["contents"]["value"])
    server.ask("shutdown")
    server.send(method="exit")
    server.process.wait(timeout=60)


main(*sys.argv[1:])
