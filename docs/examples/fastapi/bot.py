"""A bot that greets everybody who writes to it. Start it with `uvicorn bot:app --port 4000`."""

import base64
import hashlib
import hmac
import json
import os
import time
import urllib.request
from collections import OrderedDict

from fastapi import BackgroundTasks, FastAPI, Request, Response

GATEWAY_URL = os.environ["GATEWAY_URL"]
GATEWAY_TOKEN = os.environ["GATEWAY_TOKEN"]
WEBHOOK_TOKEN = os.environ["WEBHOOK_TOKEN"]
TOLERANCE_SECONDS = 300
MOST_SEEN = 10_000

app = FastAPI()
seen = OrderedDict()


def is_genuine(headers, body: bytes) -> bool:
    """Whether the gateway made the call: its token, its time and its signature are right."""
    token = headers.get("authorization", "")
    if not hmac.compare_digest(token.encode(), f"Bearer {WEBHOOK_TOKEN}".encode()):
        return False
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + body
    digest = hmac.new(WEBHOOK_TOKEN.encode(), signed, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(one.encode(), expected) for one in given)


def greet(event: dict) -> None:
    if event["type"] != "text" or event["fromMe"] or event["isGroup"]:
        return
    # an event can come twice
    if event["messageId"] in seen:
        return
    seen[event["messageId"]] = True
    if len(seen) > MOST_SEEN:
        seen.popitem(last=False)
    message = {
        "clientId": event["clientId"],
        "to": event["clientLid"],
        "body": f"Hello {event['remoteName']}, you wrote: {event['body']}",
    }
    request = urllib.request.Request(
        f"{GATEWAY_URL}/send-message",
        data=json.dumps(message).encode(),
        headers={"authorization": f"Bearer {GATEWAY_TOKEN}", "content-type": "application/json"},
    )
    try:
        urllib.request.urlopen(request, timeout=30).close()
    except OSError as error:
        print("no greeting:", error)


@app.post("/webhook")
async def webhook(request: Request, tasks: BackgroundTasks) -> Response:
    # the signature is that of the bytes: check it before you parse them
    body = await request.body()
    if not is_genuine(request.headers, body):
        return Response(status_code=401)
    try:
        event = json.loads(body)
    except ValueError:
        return Response(status_code=400)
    # runs after the answer: the gateway waits 15 seconds at most
    tasks.add_task(greet, event)
    return Response(status_code=204, background=tasks)
