import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StewardError } from '@steward/contract'
import { keyOf, readNoteFile, saveNote } from '@steward/knowledge'
import { Command } from 'commander'
import { readBodyOption } from '../../input/read-body-option.ts'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { findNote, openKnowledge } from './open-knowledge.ts'

export const createKnowledgeEditCommand = (io: Io): Command =>
  new Command('edit')
    .description('Edit a note in $EDITOR, or replace its text')
    .argument('<note>', 'Ideas/slug, a slug, an alias or a title')
    .option('--content <text>', 'the whole new text; @file reads a file, - standard input')
    .option('--json', 'print JSON')
    .action(async (word: string, { content, json }: { content?: string; json?: true }) => {
      const { archive, loaded } = await openKnowledge(io)
      const { domain, slug } = findNote(loaded, word)
      const place = { domain, slug }
      const before = readNoteFile(archive.root, place)
      if (before === undefined) throw new StewardError('not_found', { what: 'note', name: word })
      const given = await readBodyOption(io, content)
      const draft = given.body === undefined ? await openInEditor(io, slug, before.text) : undefined
      const text = given.body ?? draft?.text ?? before.text
      const now = () => new Date(io.now())
      try {
        const file = await saveNote(archive, place, text, { ifMatch: [before.etag] }, now)
        if (json) printJson(io.out, { ...place, etag: file.etag })
        else
          io.out.write(`${keyOf(place)} ${file.etag === before.etag ? 'is unchanged' : 'saved'}\n`)
      } catch (thrown) {
        if (draft !== undefined) io.err.write(`your text is kept: ${draft.path}\n`)
        throw thrown
      }
      if (draft !== undefined) await rm(draft.folder, { recursive: true, force: true })
    })

/** The editor gets a copy, so that half-finished saves are not visible to others. */
const openInEditor = async (io: Io, slug: string, text: string) => {
  const editor = io.env.VISUAL ?? io.env.EDITOR
  if (!editor) {
    const reason = 'set EDITOR (export EDITOR=nano), or give --content'
    throw new StewardError('not_configured', { subject: 'an editor', reason })
  }
  const folder = await mkdtemp(join(tmpdir(), 'steward-note-'))
  const path = join(folder, `${slug}.md`)
  await writeFile(path, text, { mode: 0o600 })
  // A shell splits `code --wait` as the person intended.
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', path], { stdio: 'inherit' })
  const [code]: unknown[] = await once(child, 'exit')
  if (code !== 0) {
    const reason = `${editor} ended with ${code}; nothing was changed, your text is in ${path}`
    throw new StewardError('invalid_input', { subject: 'the editor', reason })
  }
  return { folder, path, text: await readFile(path, 'utf8') }
}
