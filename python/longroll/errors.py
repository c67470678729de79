"""Error codes of the Longroll protocol.

Generated from the table in proto/errors.c by `longroll serve --errors python`.
"""

from enum import IntEnum


class Code(IntEnum):
    OK = 0
    BAD_FRAME = 1
    BAD_MSGPACK = 2
    TOO_LARGE = 3
    UNSUPPORTED_VERSION = 4
    UNKNOWN_TYPE = 5
    BAD_FIELD = 6
    NO_SESSION = 7
    LEASE_EXPIRED = 8
    BAD_SEQ = 9
    ILLEGAL_ACTION = 10
    EPISODE_OVER = 11
    CAPACITY = 12
    BUSY = 13
    BAD_SCENARIO = 14
    BAD_STATE = 15
    NO_RECORD = 16
    INTERNAL = 17
    SHUTTING_DOWN = 18
    NO_SEARCH = 19


SENTENCES = {
    Code.OK: "the request was done",
    Code.BAD_FRAME: "the frames of the message are not those of its type: send the number and the lengths stated here",
    Code.BAD_MSGPACK: "the header is not one well-formed msgpack map: send string keys, each once, and nothing after it",
    Code.TOO_LARGE: "the header or a part of it is larger than the limits that welcome states: send less",
    Code.UNSUPPORTED_VERSION: "no major version is spoken by both sides: use a client for one that the text names",
    Code.UNKNOWN_TYPE: "there is no message of this type: look for it in PROTOCOL.md",
    Code.BAD_FIELD: "a field is missing, of the wrong type or out of range: the field is named in `field`",
    Code.NO_SESSION: "the token names no session of this server: open one, a restart or a close ended the old",
    Code.LEASE_EXPIRED: "the session was freed because nothing was heard for its lease: open a new one, ping in pauses",
    Code.BAD_SEQ: "the sequence number is neither the next nor the last: go on with the number in `next`",
    Code.ILLEGAL_ACTION: "an action is not legal in its environment, named in `env`: choose from the mask",
    Code.EPISODE_OVER: "an environment, named in `env`, is over and autoreset is disabled: reset it or skip it with -1",
    Code.CAPACITY: "the server has no room for more sessions or environments: close some, or try again later",
    Code.BUSY: "too many requests wait already: read their replies, then send this one again",
    Code.BAD_SCENARIO: "no scenario of that name can be opened: take a name from list",
    Code.BAD_STATE: "the bytes are no saved state of this game and ruleset version: load what save gave",
    Code.NO_RECORD: "no record of that episode is kept: open with record, and ask before another episode ends",
    Code.INTERNAL: "the server could not do what it should: nothing has changed; please report it with the text",
    Code.SHUTTING_DOWN: "the server is stopping: connect again when it is back, and open a new session",
    Code.NO_SEARCH: "the session has no search that this could go on with: begin one with search",
}

# The same request may succeed later, unchanged.
RETRY = frozenset(
    {
        Code.CAPACITY,
        Code.BUSY,
        Code.SHUTTING_DOWN,
    }
)
