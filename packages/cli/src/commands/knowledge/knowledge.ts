import { type KnowledgeDomain, StewardError } from '@steward/contract'
import {
  buildGraph,
  describeNote,
  filterNotes,
  keyOf,
  keyOfNoteId,
  NOTE_KIND,
  readNoteFile,
  renderMap,
  summarise,
} from '@steward/knowledge'
import { Command } from 'commander'
import { parseCount } from '../../input/option-values.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { useWiki } from '../wiki/open-wiki.ts'
import { printFound } from '../wiki/print-found.ts'
import { createKnowledgeCheckCommand } from './check.ts'
import { createKnowledgeEditCommand } from './edit.ts'
import { createKnowledgeExportCommand } from './export.ts'
import { createKnowledgeImportCommand } from './import.ts'
import { createKnowledgeLearnCommand } from './learn.ts'
import { findNote, openKnowledge, parseDomainOption } from './open-knowledge.ts'
import { createKnowledgeTrashCommand } from './trash.ts'
import { createKnowledgeUseCommand } from './use.ts'
import {
  createKnowledgeAddCommand,
  createKnowledgeRemoveCommand,
  createKnowledgeRenameCommand,
  createKnowledgeRestoreCommand,
} from './write.ts'

const HELP = `
Examples:
  steward knowledge add people "Ada Lovelace" --tags mathematics,computing
  steward knowledge add ideas "Back off by host" --body @notes.md
  steward knowledge search retries
  steward knowledge show ada-lovelace
  steward knowledge rename back-off-by-host --title "Back off per host"
  steward knowledge trash                       list removed notes
  steward knowledge check --fix
  steward knowledge learn                       add the learnings of finished work
  steward knowledge import ~/Notes --dry-run    an Obsidian vault or other Markdown
  steward knowledge export ~/Export
  steward knowledge use ~/Notes                 search it without copying

Notes are Markdown files in MEMORY/KNOWLEDGE of the data home; edit them with any program. No daemon
is needed. See docs/knowledge.md.
`

export const createKnowledgeCommand = (io: Io): Command =>
  new Command('knowledge')
    .description('Manage notes on people, companies, ideas and research')
    .addCommand(createKnowledgeListCommand(io), { isDefault: true })
    .addCommand(createKnowledgeSearchCommand(io))
    .addCommand(createKnowledgeShowCommand(io))
    .addCommand(createKnowledgeAddCommand(io))
    .addCommand(createKnowledgeEditCommand(io))
    .addCommand(createKnowledgeRenameCommand(io))
    .addCommand(createKnowledgeRemoveCommand(io))
    .addCommand(createKnowledgeRestoreCommand(io))
    .addCommand(createKnowledgeTrashCommand(io))
    .addCommand(createKnowledgeCheckCommand(io))
    .addCommand(createKnowledgeMocCommand(io))
    .addCommand(createKnowledgeLearnCommand(io))
    .addCommand(createKnowledgeImportCommand(io))
    .addCommand(createKnowledgeExportCommand(io))
    .addCommand(createKnowledgeUseCommand(io))
    .addHelpText('after', HELP)

interface SearchFlags {
  limit: number
  why?: true
  json?: true
}

const createKnowledgeSearchCommand = (io: Io): Command =>
  new Command('search')
    .description('Search notes; corrects typos')
    .argument('<words...>', 'words to search for; "quoted words" match exactly')
    .option('--limit <n>', 'maximum number of results', parseCount, 20)
    .option('--why', 'explain each score')
    .option('--json', 'print JSON')
    .action((words: string[], { limit, why, json }: SearchFlags) =>
      useWiki(io, async ({ wiki, notes }) => {
        const answer = await wiki.search(words.join(' '), { kinds: [NOTE_KIND], limit })
        if (!json) {
          printFound(io, answer, { why, nameOf: (id) => keyOfNoteId(id) ?? id })
          return
        }
        const results = answer.results.flatMap(({ id, score, why, heading, anchor, excerpt }) => {
          const note = notes.index.get(keyOfNoteId(id) ?? '')
          if (note === undefined) return []
          return [{ ...summarise(note), score, why, heading, anchor, excerpt }]
        })
        printJson(io.out, { ...answer, results })
      }),
    )

const createKnowledgeShowCommand = (io: Io): Command =>
  new Command('show')
    .description('Show a note and its backlinks')
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

const createKnowledgeMocCommand = (io: Io): Command =>
  new Command('moc')
    .description('Print a map of content by links, date, domain and tag')
    .option('--json', 'print JSON: the graph of notes and links')
    .action(async ({ json }: { json?: true }) => {
      const { loaded } = await openKnowledge(io)
      if (json) printJson(io.out, buildGraph(loaded.index))
      else io.out.write(cleanText(renderMap(loaded.index)))
    })

interface ListFlags {
  tag?: string
  limit: number
  json?: true
}

const createKnowledgeListCommand = (io: Io): Command =>
  new Command('list')
    .description('List notes, the last changed first')
    .argument('[domain]', 'only People, Companies, Ideas or Research', parseDomainOption)
    .option('--tag <tag>', 'only notes with this tag')
    .option('--limit <n>', 'maximum number of results', parseCount, 50)
    .option('--json', 'print JSON')
    .action(async (domain: KnowledgeDomain | undefined, { tag, limit, json }: ListFlags) => {
      const { loaded } = await openKnowledge(io)
      const notes = filterNotes(loaded.index, { tag, domain })
      const problems = loaded.problems().map(({ file, reason }) => ({ file, reason }))
      if (json) {
        printJson(io.out, {
          total: notes.length,
          notes: notes.slice(0, limit).map(summarise),
          problems,
        })
        return
      }
      if (notes.length === 0)
        io.out.write(`nothing yet: ${COMMAND} knowledge add ideas "A title"\n`)
      io.out.write(
        formatTable(
          notes
            .slice(0, limit)
            .map((note) => [
              keyOf(note),
              cleanText(note.title),
              io.out.paint.dim(cleanText(note.tags.map((each) => `#${each}`).join(' '))),
            ]),
        ),
      )
      if (notes.length > limit) io.out.write(`and ${notes.length - limit} more (--limit)\n`)
      for (const { file, reason } of problems) {
        io.err.write(`${io.err.paint.yellow('warning:')} ${cleanText(`${file}: ${reason}`)}\n`)
      }
    })
