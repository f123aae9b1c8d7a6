import { API, type KnowledgeNote, StewardError } from '@steward/contract'
import {
  type ArchivePlace,
  createNote,
  describeNote,
  fileOf,
  type LoadedArchive,
  listTrash,
  type NoteChange,
  type NoteFile,
  type NotePlace,
  readNoteFile,
  readPrecondition,
  refTo,
  removeNote,
  renameNote,
  restoreNote,
  saveNote,
} from '@steward/knowledge'
import { type Call, type Handler, handle } from '../../module.ts'

export interface NoteHandlerPorts {
  archive: ArchivePlace
  loaded: LoadedArchive
  now: () => Date
  /** Reports changes made here before the file watcher does. */
  publish: (changes: readonly NoteChange[]) => void
}

const JSON_TYPE = 'application/json'

/** Operations on single notes: read, create, save, rename, delete, restore. */
export const createNoteHandlers = (ports: NoteHandlerPorts): Handler[] => {
  const { archive, loaded, now, publish } = ports
  const { root } = archive
  const look = (places: readonly NotePlace[]): void =>
    publish(places.flatMap((place) => loaded.look(place) ?? []))
  const describe = (place: NotePlace, file: NoteFile): KnowledgeNote =>
    describeNote(loaded.index, place, file)
  const answerSaved = (place: NotePlace, file: NoteFile, more: object = {}, status = 200) => {
    look([place])
    return withEtag({ ok: true, ...describe(place, file), ...more }, file, status)
  }

  return [
    handle(API.getNote, ({ params }) => {
      const file = readNoteFile(root, params)
      if (file === undefined) throw notFound(params)
      look([params])
      return withEtag(describe(params, file), file)
    }),
    handle(API.saveNote, async ({ params, body }, call) => {
      const file = await saveNote(archive, params, body.content, preconditionOf(call), now)
      return answerSaved(params, file)
    }),
    handle(API.createNote, async ({ body }) => {
      const { place, file } = await createNote(archive, body, now)
      return answerSaved(place, file, {}, 201)
    }),
    handle(API.renameNote, async ({ params, body }, call) => {
      const renaming = { ...body, ...preconditionOf(call) }
      const { place, file, relinked } = await renameNote(archive, loaded, params, renaming, now)
      publish([
        ...(fileOf(place) === fileOf(params) ? [] : [{ ...params, kind: 'removed' as const }]),
        { ...place, kind: fileOf(place) === fileOf(params) ? 'changed' : 'added' },
        ...relinked.map((each) => ({ ...each, kind: 'changed' as const })),
      ])
      const refs = relinked.flatMap((each) => {
        const note = loaded.index.get(`${each.domain}/${each.slug}`)
        return note === undefined ? [] : [refTo(note)]
      })
      return answerSaved(place, file, { relinked: refs })
    }),
    handle(API.removeNote, async ({ params }, call) => {
      const trashed = await removeNote(archive, params, preconditionOf(call), now)
      look([params])
      return { ok: true as const, trashed }
    }),
    handle(API.restoreNote, async ({ params, body }, call) => {
      const wanted = { ...preconditionOf(call), version: body.version }
      return answerSaved(params, await restoreNote(archive, params, wanted, now))
    }),
    handle(API.listTrash, () => ({ notes: listTrash(archive) })),
  ]
}

const preconditionOf = (call: Call) =>
  readPrecondition(call.header('if-match'), call.header('if-none-match'))

const notFound = (place: NotePlace): StewardError =>
  new StewardError('not_found', { what: 'note', name: fileOf(place) })

const withEtag = (body: unknown, { etag }: NoteFile, status = 200): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': JSON_TYPE, etag: `"${etag}"` },
  })
