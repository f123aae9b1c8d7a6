import { StewardError, unwrap } from '@steward/contract'
import {
  createNote,
  keyOf,
  type NoteFile,
  parseKey,
  readNoteFile,
  saveNote,
} from '@steward/knowledge'
import { ensureHome, type Redactor } from '@steward/platform'
import { z } from 'zod'
import type { Archive } from '../archive/open-archive.ts'
import type { StewardMcpPorts } from '../ports.ts'
import { uriOfNote } from '../resources/uris.ts'
import { defineTool, type Tool } from './tool.ts'

const MASK = '[redacted'

/** Writes a note: a new one, or over the version that was read. */
export const createKnowledgeWriteTool = (
  { home, now }: Pick<StewardMcpPorts, 'home' | 'now'>,
  { place: archive }: Archive,
): Tool =>
  defineTool({
    name: 'knowledge_write',
    title: 'Write a note',
    description:
      'Creates a note, or replaces one if etag is the version from knowledge_read. A note that was changed meanwhile is left unchanged, and the result has its current text. Write only what the user asked for or what was learned from work.',
    effect: 'replaces',
    input: z.object({
      note: z.string().min(1).max(200).describe('Ideas/slug: domain and file name'),
      content: z
        .string()
        .min(1)
        .describe('the whole note: Markdown with frontmatter; with title, only what goes below it'),
      etag: z.string().max(100).optional().describe('version to replace; omit it for a new note'),
      title: z.string().trim().min(1).max(200).optional().describe('for a new note'),
      tags: z.array(z.string().trim().min(1).max(60)).max(50).optional().describe('for a new note'),
    }),
    output: z.object({
      note: z.string(),
      uri: z.string(),
      etag: z.string(),
      created: z.boolean(),
    }),
    run: async ({ note, content, etag, title, tags }, { redactor }) => {
      const place = parseKey(note)
      if (place === undefined) throw invalid('note', `${note} is not of the form Ideas/slug`)
      if (etag !== undefined && title !== undefined) {
        throw invalid('title', 'it is for new notes; an existing note has it in its frontmatter')
      }
      unwrap(await ensureHome(home))
      const time = () => new Date(now())
      const write = async (): Promise<NoteFile> => {
        if (etag !== undefined) {
          refuseMasks(content, readNoteFile(archive.root, place)?.text, redactor)
          return saveNote(archive, place, content, { ifMatch: [etag] }, time)
        }
        if (title === undefined) return saveNote(archive, place, content, { ifAbsent: true }, time)
        return (await createNote(archive, { ...place, title, tags, body: content }, time)).file
      }
      const { etag: version } = await write()
      return {
        note: keyOf(place),
        uri: uriOfNote(place),
        etag: version,
        created: etag === undefined,
      }
    },
  })

const invalid = (field: string, reason: string): StewardError =>
  new StewardError('invalid_input', { subject: 'knowledge_write', reason, field })

/**
 * A reader of a note saw masks in place of secrets: writing those back would lose the original
 * text.
 */
const refuseMasks = (content: string, current: string | undefined, redactor: Redactor): void => {
  if (current === undefined || !content.includes(MASK) || current.includes(MASK)) return
  const { found } = redactor.redactText(current)
  if (found.length === 0) return
  const reason = `the note holds secrets (${found.join(', ')}) that were masked; the user has to edit it`
  throw new StewardError('rejected_content', { subject: 'the note', reason })
}
