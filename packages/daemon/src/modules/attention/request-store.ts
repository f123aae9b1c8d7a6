import { join } from 'node:path'
import {
  type AttentionAnswer,
  type AttentionRequest,
  attentionAnswer,
  attentionRequest,
} from '@steward/contract'
import { type Home, openDatabase } from '@steward/platform'
import { z } from 'zod'

export const ATTENTION_MIGRATIONS = [
  `CREATE TABLE requests (
     id TEXT PRIMARY KEY, body TEXT NOT NULL, asked_ms INTEGER NOT NULL, until_ms INTEGER NOT NULL,
     state TEXT NOT NULL DEFAULT 'waiting', answer TEXT, answered_by TEXT, detail TEXT,
     closed_ms INTEGER
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX open_requests ON requests (asked_ms) WHERE state = 'waiting';
   CREATE TABLE devices (
     id TEXT PRIMARY KEY, name TEXT NOT NULL, topic TEXT NOT NULL, reply_topic TEXT NOT NULL,
     key TEXT NOT NULL, created_ms INTEGER NOT NULL, revoked_ms INTEGER, last_answer_ms INTEGER
   ) STRICT, WITHOUT ROWID;
   CREATE UNIQUE INDEX devices_by_name ON devices (name) WHERE revoked_ms IS NULL;
   CREATE TABLE used_tokens (
     nonce TEXT PRIMARY KEY, until_ms INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE replies (one INTEGER PRIMARY KEY CHECK (one = 1), last_id TEXT NOT NULL) STRICT;`,
  // Devices that exist already were added in order to answer.
  `ALTER TABLE devices ADD COLUMN answers INTEGER NOT NULL DEFAULT 1;
   ALTER TABLE devices ADD COLUMN relay TEXT;
   ALTER TABLE devices ADD COLUMN counter INTEGER NOT NULL DEFAULT 0;`,
]

/** Closed requests are kept this long, to explain why an answer came too late. */
const KEPT_MS = 7 * 86_400_000

/** `withdrawn`: answered in the terminal, or the session went on. */
type RequestState = 'waiting' | 'answered' | 'withdrawn' | 'expired'

export interface StoredRequest {
  request: AttentionRequest
  askedMs: number
  untilMs: number
  state: RequestState
  answer: AttentionAnswer | null
  answeredBy: string | null
  /** Why it is closed, in words. */
  detail: string | null
}

export type Closing =
  | { state: 'answered'; answer: AttentionAnswer; by: string; detail: string }
  | { state: 'withdrawn' | 'expired'; detail: string }

const row = z.object({
  body: z.string(),
  asked_ms: z.number(),
  until_ms: z.number(),
  state: z.enum(['waiting', 'answered', 'withdrawn', 'expired']),
  answer: z.string().nullable(),
  answered_by: z.string().nullable(),
  detail: z.string().nullable(),
})

/** The keys of a device at the relay. */
const deviceRelay = z.object({
  /** The daemon's own, for this device. */
  publicKey: z.string(),
  privateKey: z.string(),
  secret: z.string(),
  /** The QR code is accepted until then. */
  untilMs: z.number(),
  /** The public key of the device; null until it has scanned the code. */
  peer: z.string().nullable(),
})
export type DeviceRelay = z.infer<typeof deviceRelay>

const deviceRow = z.object({
  id: z.string(),
  name: z.string(),
  /** Empty for a device without push topics, as are the next two. */
  topic: z.string(),
  reply_topic: z.string(),
  key: z.string(),
  /** Whether its answers are accepted. */
  answers: z.number().transform((value) => value === 1),
  relay: z
    .string()
    .nullable()
    .transform((text) => (text === null ? null : deviceRelay.parse(JSON.parse(text)))),
  /** The counter of the last frame that it sent through the relay. */
  counter: z.number(),
  created_ms: z.number(),
  revoked_ms: z.number().nullable(),
  last_answer_ms: z.number().nullable(),
})
export type StoredDevice = z.infer<typeof deviceRow>
export type NewDevice = Omit<StoredDevice, 'revoked_ms' | 'last_answer_ms' | 'relay' | 'counter'>

/** `state/attention.sqlite`: requests and the devices that may answer them. */
export type RequestStore = ReturnType<typeof openRequestStore>

export const openRequestStore = (home: Pick<Home, 'databases'>) => {
  const path = join(home.databases, 'attention.sqlite')
  const database = openDatabase(path, { migrations: ATTENTION_MIGRATIONS })
  return {
    /** Resolves when the request is on disk. */
    insert: (request: AttentionRequest, askedMs: number, untilMs: number): Promise<void> =>
      database.write(({ statement }) => {
        statement("DELETE FROM requests WHERE state <> 'waiting' AND closed_ms < ?").run(
          askedMs - KEPT_MS,
        )
        statement('INSERT INTO requests (id, body, asked_ms, until_ms) VALUES (?, ?, ?, ?)').run(
          request.id,
          JSON.stringify(request),
          askedMs,
          untilMs,
        )
      }),
    /** Closes a request that still waits; false if it was closed before. On disk when it returns. */
    close: (id: string, closing: Closing, nowMs: number): boolean =>
      database.writeNow(({ statement }) => {
        const isAnswer = closing.state === 'answered'
        const { changes } = statement(
          `UPDATE requests SET state = ?, answer = ?, answered_by = ?, detail = ?, closed_ms = ?
           WHERE id = ? AND state = 'waiting' AND (until_ms > ? OR ?)`,
        ).run(
          closing.state,
          isAnswer ? JSON.stringify(closing.answer) : null,
          isAnswer ? closing.by : null,
          closing.detail,
          nowMs,
          id,
          nowMs,
          isAnswer ? 0 : 1,
        )
        return Number(changes) === 1
      }),
    find: (id: string): StoredRequest | undefined => {
      const found = database.read(({ statement }) =>
        statement('SELECT * FROM requests WHERE id = ?').get(id),
      )
      return found === undefined ? undefined : readRequest(found)
    },
    /** Oldest first. */
    open: (): StoredRequest[] =>
      database
        .read(({ statement }) =>
          statement("SELECT * FROM requests WHERE state = 'waiting' ORDER BY asked_ms").all(),
        )
        .map(readRequest),
    addDevice: (device: NewDevice): void =>
      database.writeNow(({ statement }) => {
        statement(
          `INSERT INTO devices (id, name, topic, reply_topic, key, answers, created_ms)
           VALUES (:id, :name, :topic, :reply_topic, :key, :answers, :created_ms)`,
        ).run({ ...device, answers: device.answers ? 1 : 0 })
      }),
    /** Replaces the keys of a device at the relay. */
    setRelay: (id: string, relay: DeviceRelay): void =>
      database.writeNow(({ statement }) => {
        statement('UPDATE devices SET relay = ? WHERE id = ?').run(JSON.stringify(relay), id)
      }),
    setAnswers: (id: string, answers: boolean): void =>
      database.writeNow(({ statement }) => {
        statement('UPDATE devices SET answers = ? WHERE id = ?').run(answers ? 1 : 0, id)
      }),
    /** Uses up a counter and all lower ones. */
    recordCounter: (id: string, counter: number): void =>
      database.writeNow(({ statement }) => {
        statement('UPDATE devices SET counter = max(counter, ?) WHERE id = ?').run(counter, id)
      }),
    devices: (): StoredDevice[] =>
      database
        .read(({ statement }) => statement('SELECT * FROM devices ORDER BY created_ms').all())
        .map((each) => deviceRow.parse(each)),
    revokeDevice: (id: string, nowMs: number): void =>
      database.writeNow(({ statement }) => {
        statement('UPDATE devices SET revoked_ms = ? WHERE id = ? AND revoked_ms IS NULL').run(
          nowMs,
          id,
        )
      }),
    recordDeviceAnswer: (id: string, nowMs: number): void =>
      database.writeNow(({ statement }) => {
        statement('UPDATE devices SET last_answer_ms = ? WHERE id = ?').run(nowMs, id)
      }),
    isTokenUsed: (nonce: string): boolean =>
      database.read(
        ({ statement }) =>
          statement('SELECT 1 FROM used_tokens WHERE nonce = ?').get(nonce) !== undefined,
      ),
    /** Uses up the token of a button. */
    useToken: (nonce: string, untilMs: number, nowMs: number): void =>
      database.writeNow(({ statement }) => {
        statement('DELETE FROM used_tokens WHERE until_ms < ?').run(nowMs)
        statement('INSERT OR IGNORE INTO used_tokens (nonce, until_ms) VALUES (?, ?)').run(
          nonce,
          untilMs,
        )
      }),
    /** The last reply that was read from the push server. */
    lastReply: (): string | undefined => {
      const found = database.read(({ statement }) => statement('SELECT last_id FROM replies').get())
      return found === undefined ? undefined : String(found.last_id)
    },
    recordReply: (id: string): void =>
      database.writeNow(({ statement }) => {
        statement(
          'INSERT INTO replies (one, last_id) VALUES (1, ?) ON CONFLICT DO UPDATE SET last_id = excluded.last_id',
        ).run(id)
      }),
    end: () => database.close(),
  }
}

const readRequest = (value: unknown): StoredRequest => {
  const found = row.parse(value)
  return {
    request: attentionRequest.parse(JSON.parse(found.body)),
    askedMs: found.asked_ms,
    untilMs: found.until_ms,
    state: found.state,
    answer: found.answer === null ? null : attentionAnswer.parse(JSON.parse(found.answer)),
    answeredBy: found.answered_by,
    detail: found.detail,
  }
}
