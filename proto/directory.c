/* directory.c: which sessions there are, whose they are, and when they were last heard of.
 *
 * A token is the number of the session's place (4 bytes, little-endian) and 12 random bytes, so that finding it is
 * one comparison. A place is used again only after the worker has let go of the old session and nothing is on its way
 * to it; the search for a free one goes round, so that a token that expired is known as such for long. */
#include "proto/parts.h"
#include <string.h>
#include <sys/random.h>

static bool reusable(const struct entry *entry) {
    return entry->state != ENTRY_LIVE && !entry->held && entry->in_flight == 0;
}

static int idlest_worker(const struct server *server) {
    int idlest = 0;
    for (int i = 1; i < server->options.workers; i++)
        if (server->worker[i].sessions < server->worker[idlest].sessions) idlest = i;
    return idlest;
}

static bool new_token(uint8_t token[TOKEN_BYTES], int slot) {
    const uint32_t place = (uint32_t)slot;
    memcpy(token, &place, sizeof place);
    return getrandom(token + sizeof place, TOKEN_BYTES - sizeof place, 0) == TOKEN_BYTES - sizeof place;
}

int directory_add(struct server *server, int64_t now) {
    const int size = server->options.sessions;
    for (int i = 0; i < size; i++) {
        const int slot = (server->next_slot + i) % size;
        struct entry *entry = &server->entry[slot];
        if (!reusable(entry)) continue;
        if (!new_token(entry->token, slot)) return -1;
        entry->state = ENTRY_LIVE;
        entry->heard = now;
        entry->worker = idlest_worker(server);
        server->worker[entry->worker].sessions++;
        server->next_slot = slot + 1;
        server->live++;
        return slot;
    }
    return -1;
}

int directory_find(struct server *server, const uint8_t *token, struct wire_fault *fault) {
    uint32_t slot;
    memcpy(&slot, token, sizeof slot);
    const struct entry *entry = slot < (uint32_t)server->options.sessions ? &server->entry[slot] : NULL;
    if (!entry || entry->state == ENTRY_FREE || memcmp(entry->token, token, TOKEN_BYTES) != 0) {
        wire_refuse(fault, WIRE_NO_SESSION, "this server (boot %s) has no such session: open one", server->boot);
        return -1;
    }
    if (entry->state == ENTRY_LIVE) return (int)slot;
    wire_refuse(fault, WIRE_LEASE_EXPIRED,
                "the session was freed because nothing was heard for %d ms: open a new one, and ping in pauses",
                server->options.lease_ms);
    return -1;
}

static void forget(struct server *server, struct entry *entry) {
    server->worker[entry->worker].sessions--;
    server->live--;
}

void directory_remove(struct server *server, int slot) {
    struct entry *entry = &server->entry[slot];
    if (entry->state != ENTRY_LIVE) return;
    forget(server, entry);
    entry->state = ENTRY_FREE;
    memset(entry->token, 0, sizeof entry->token);
}

void directory_reap(struct server *server, int64_t now, void (*expire)(struct server *server, int slot)) {
    for (int slot = 0; slot < server->options.sessions; slot++) {
        struct entry *entry = &server->entry[slot];
        if (entry->state != ENTRY_LIVE || (entry->in_flight > 0 && !entry->slow)) continue;
        if (now - entry->heard < server->options.lease_ms) continue;
        forget(server, entry);
        entry->state = ENTRY_EXPIRED;
        entry->held = true;
        server->counts.leases_expired++;
        expire(server, slot);
    }
}
