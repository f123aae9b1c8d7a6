import { StewardError } from '@steward/contract'
import { buildGraph, describeNote, keyOf, readNoteFile, renderMap } from '@steward/knowledge'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { findNote, openKnowledge } from './open-knowledge.ts'

export const createKnowledgeShowCommand = (io: Io): Command =>
  new Command('show')
    .description('Prints a note, and who links to it.')
    .argument('<note>', 'Ideas/slug, a slug, an alias or a title')
    .option('--json', 'print JSON')
    .action(async (word: string, { json }: { json?: true }) => {
      const { archive, loaded } = await openKnowledge(io)
      const { domain, slug } = findNote(loaded, word)
      const file = readNoteFile(archive.root, { domain, slug })
      if (file === undefined) throw new StewardError('not_found', { what: 'note', name: word })
      const note = describeNote(loaded.index, { domain, slug }, file)
      if (json) {
        printJson(io.out, note)
        return
      }
      io.out.write(`${cleanText(note.content).trimEnd()}\n`)
      if (note.backlinks.length > 0) {
        io.out.write(`\nlinked from: ${note.backlinks.map(keyOf).join(', ')}\n`)
      }
      for (const { text } of note.links.filter(({ to }) => to === null)) {
        io.err.write(`${io.err.paint.yellow('warning:')} ${cleanText(text)} leads nowhere\n`)
      }
    })

export const createKnowledgeMocCommand = (io: Io): Command =>
  new Command('moc')
    .description('Prints a map of content: most linked, recent, each domain, each tag.')
    .option('--json', 'print JSON: the graph of notes and links')
    .action(async ({ json }: { json?: true }) => {
      const { loaded } = await openKnowledge(io)
      if (json) printJson(io.out, buildGraph(loaded.index))
      else io.out.write(cleanText(renderMap(loaded.index)))
    })
