import { HOSTED_API, HOSTED_LIMITS, type HostedFile } from '@steward/contract'
import { readBytes } from '@steward/http'
import { answerOnce } from '../api/answers.ts'
import { findRepetition } from '../api/find-repetition.ts'
import { changes, type Handler, opens, reads } from '../api/handler.ts'
import { knownId } from '../api/known-id.ts'
import { readPage, writeCursor } from '../api/page.ts'
import { invalid } from '../api/refusal.ts'
import { createWhere } from '../api/where.ts'
import { execute, query, type Tx } from '../database/tx.ts'
import { createId } from '../ids/create-id.ts'
import { findSession } from '../log/stored-session.ts'
import { mimeTypeOf } from './mime-type.ts'
import { type FilePorts, readFile, type SessionOutput } from './read-file.ts'
import { readUpload } from './read-upload.ts'
import { storeFile } from './store-file.ts'
import { FILE_COLUMNS, getFile, toHostedFile, toStoredFile } from './stored-file.ts'

const SOURCE = {
  select: `SELECT ${FILE_COLUMNS} FROM files`,
  timeColumn: 'created_ms',
  timeName: 'created_ms',
  idColumn: 'id',
}
/** Room for the form's other fields. */
const FORM_BYTES = 64 * 1024

export const createFileHandlers = (
  ports: FilePorts & { limits: { fileBytes: number } },
): readonly Handler[] => [
  opens(HOSTED_API.uploadFile, async (_, { key, nowMs, header, context }) => {
    const sent = await readBytes(context.env.incoming, ports.limits.fileBytes + FORM_BYTES)
    const upload = await readUpload(new Uint8Array(sent), header('content-type'))
    const { expiresInSeconds, ...file } = upload
    const expiresMs = expiresInSeconds === undefined ? null : nowMs + expiresInSeconds * 1000
    const store = (): Tx<HostedFile> => storeFile({ ...file, expiresMs }, nowMs)
    // The multipart boundary differs in each attempt, so only the file in it counts.
    const target = `/v1/files ${file.filename} ${expiresInSeconds ?? ''}`
    const body = upload.bytes
    const repetition = findRepetition({ keyId: key.id, method: 'POST', target, body, header })
    if (repetition === undefined) return ports.database.write(store)
    const text = await ports.database.write(() => answerOnce(repetition, nowMs, store))
    return new Response(text, { headers: { 'content-type': 'application/json' } })
  }),
  opens(HOSTED_API.listFiles, async ({ query }, { nowMs }) => {
    if (query.scope_id !== undefined) await lookForOutputs(ports, query.scope_id)
    return ports.database.read(() => listFiles(query, nowMs))
  }),
  reads(HOSTED_API.getFile, function* ({ params }, { nowMs }) {
    return toHostedFile(yield* getFile(params.file_id, nowMs))
  }),
  opens(HOSTED_API.downloadFile, async ({ params }, { nowMs }) => {
    const file = await ports.database.read(() => getFile(params.file_id, nowMs))
    const pieces = readFile(ports, file)
    // Reads the first piece before responding, so that a missing file can still be reported.
    const first = await pieces.next()
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        if (first.done !== true) controller.enqueue(first.value)
      },
      pull: async (controller) => {
        const { done, value } = await pieces.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
    })
    return new Response(body, {
      headers: {
        'content-type': file.body.mime_type,
        'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.body.filename.toWellFormed())}`,
      },
    })
  }),
  changes(HOSTED_API.deleteFile, function* ({ params }, { nowMs }) {
    const file = yield* getFile(params.file_id, nowMs)
    if (file.path !== null) throw invalid('the file', 'an output is deleted with its session')
    yield* execute('DELETE FROM files WHERE id = $1', file.id)
    return { id: file.id, type: 'file_deleted' as const }
  }),
]

const lookForOutputs = async ({ database, outputs }: FilePorts, scope: string): Promise<void> => {
  const sessionId = knownId('session', scope)
  const session = await database.read(() => findSession(sessionId))
  if (session === undefined) return
  const found = await outputs(sessionId)
  await database.write(() => syncOutputs(sessionId, found))
}

interface FileRequest {
  limit?: number | undefined
  page?: string | undefined
  ids?: readonly string[] | undefined
  scope_id?: string | undefined
  after_id?: string | undefined
  before_id?: string | undefined
}

interface FilePage {
  data: HostedFile[]
  next_page: string | null
  has_more: boolean
  first_id: string | null
  last_id: string | null
}

function* listFiles(request: FileRequest, nowMs: number): Tx<FilePage> {
  const where = createWhere()
  where.add('(expires_ms IS NULL OR expires_ms > ?)', nowMs)
  if (request.scope_id !== undefined)
    where.add('session_id = ?', knownId('session', request.scope_id))
  const ids = request.ids?.filter((id) => /^[\w-]+$/.test(id))
  if (ids !== undefined) {
    if (ids.length === 0) return toPage([], null, false)
    where.add(`id IN (${ids.map(() => '?').join(', ')})`, ...ids)
  }
  const limit = ids?.length ?? request.limit ?? HOSTED_LIMITS.pageDefault
  const page = request.page ?? (yield* cursorBeside(request, nowMs))
  const found = yield* readPage(SOURCE, where, { limit, page, order: 'desc' })
  const isBack = request.page === undefined && request.before_id !== undefined
  const more = isBack ? found.prev_page : found.next_page
  return toPage(
    found.rows.map((row) => toHostedFile(toStoredFile(row))),
    found.next_page,
    more !== null,
  )
}

const toPage = (data: HostedFile[], next_page: string | null, has_more: boolean): FilePage => ({
  data,
  next_page,
  has_more,
  first_id: data[0]?.id ?? null,
  last_id: data.at(-1)?.id ?? null,
})

/** Older clients send the last id they saw instead of a cursor. */
function* cursorBeside(
  { after_id, before_id }: FileRequest,
  nowMs: number,
): Tx<string | undefined> {
  const beside = after_id ?? before_id
  if (beside === undefined) return undefined
  const { id, createdMs } = yield* getFile(beside, nowMs)
  const d = after_id === undefined ? 'prev' : 'next'
  return writeCursor({ o: 'desc', d, t: createdMs, i: id })
}

/** Gives a session's outputs permanent ids and deletes the rows of removed ones. */
function* syncOutputs(sessionId: string, outputs: readonly SessionOutput[]): Tx<void> {
  const rows = yield* query(
    `SELECT ${FILE_COLUMNS} FROM files WHERE session_id = $1 AND path IS NOT NULL`,
    sessionId,
  )
  const known = new Map(rows.map(toStoredFile).map((file) => [file.path, file]))
  for (const output of outputs) {
    const { path, sizeBytes, modifiedMs } = output
    const file = known.get(path)
    known.delete(path)
    const body = JSON.stringify({
      filename: path,
      mime_type: mimeTypeOf(path),
      size_bytes: sizeBytes,
      chunks: 0,
    })
    if (file === undefined)
      yield* execute(
        `INSERT INTO files (id, body, session_id, path, created_ms) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT DO NOTHING`,
        createId('file'),
        body,
        sessionId,
        path,
        modifiedMs,
      )
    else if (file.body.size_bytes !== sizeBytes)
      yield* execute('UPDATE files SET body = $2 WHERE id = $1', file.id, body)
  }
  for (const gone of known.values()) yield* execute('DELETE FROM files WHERE id = $1', gone.id)
}
