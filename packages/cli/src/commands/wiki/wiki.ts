import { nearestHint, StewardError } from '@steward/contract'
import type { Wiki } from '@steward/knowledge'
import { Command } from 'commander'
import { parseCount } from '../../input/option-values.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { useWiki } from './open-wiki.ts'
import { printFound } from './print-found.ts'

const HELP = `
Examples:
  steward wiki search "quiet hours"
  steward wiki search watchdg             typos are corrected
  steward wiki search feeds --why         explain each score
  steward wiki show docs/feeds
  steward wiki list actions

Documents are Steward's own pages, the folders of wiki.directories in settings.json, skills, agents,
hooks, actions, pipelines and flows; search also finds notes. See docs/wiki.md.
`

export const createWikiCommand = (io: Io): Command =>
  new Command('wiki')
    .description('Search and read documents, notes and skills')
    .addCommand(createSearchCommand(io))
    .addCommand(createShowCommand(io))
    .addCommand(createListCommand(io), { isDefault: true })
    .addHelpText('after', HELP)

interface SearchFlags {
  limit: number
  why?: true
  json?: true
}

const createSearchCommand = (io: Io): Command =>
  new Command('search')
    .description('Search documents and notes')
    .argument('<words...>', 'words to search for; "quoted words" match exactly')
    .option('--limit <n>', 'maximum number of results', parseCount, 10)
    .option('--why', 'explain each score')
    .option('--json', 'print JSON')
    .action((words: string[], flags: SearchFlags) =>
      useWiki(io, async ({ wiki }) => {
        const answer = await wiki.search(words.join(' '), { limit: flags.limit })
        if (flags.json) printJson(io.out, answer)
        else printFound(io, answer, flags)
      }),
    )

const createShowCommand = (io: Io): Command =>
  new Command('show')
    .description('Show a document or note and its backlinks')
    .argument('<id>', 'docs/feeds, knowledge/Ideas/slug, or a title')
    .option('--json', 'print JSON')
    .action((word: string, { json }: { json?: true }) =>
      useWiki(io, async ({ wiki }) => {
        const document = await wiki.show(findId(wiki, word))
        if (json) {
          printJson(io.out, document)
          return
        }
        io.out.write(`${cleanText(document.markdown).trim()}\n`)
        if (document.backlinks.length > 0) {
          const from = document.backlinks.map(({ id }) => cleanText(id)).join(', ')
          io.out.write(`\nlinked from: ${from}\n`)
        }
      }),
    )

const createListCommand = (io: Io): Command =>
  new Command('list')
    .description('List documents by group')
    .argument('[group]', 'only docs, skills, actions, … or one of your directories')
    .option('--json', 'print JSON')
    .action((group: string | undefined, { json }: { json?: true }) =>
      useWiki(io, ({ wiki }) => {
        const documents = [...wiki.documents.catalog.all()]
          .filter((document) => group === undefined || document.group === group)
          .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        const findings = wiki.documents.findings()
        if (json) {
          const pages = documents.flatMap(({ id }) => wiki.describe(id) ?? [])
          printJson(io.out, { documents: pages, findings })
          return
        }
        io.out.write(
          formatTable(documents.map(({ id, title }) => [cleanText(id), cleanText(title)])),
        )
        for (const { file, reason } of findings) {
          io.err.write(`${io.err.paint.yellow('warning:')} ${cleanText(`${file}: ${reason}`)}\n`)
        }
      }),
    )

const findId = (wiki: Wiki, word: string): string => {
  if (wiki.describe(word) !== undefined) return word
  const named = wiki.documents.catalog.resolveName(word)
  if (named !== undefined) return named.id
  const ids = [...wiki.documents.catalog.all()].map(({ id }) => id)
  throw new StewardError('not_found', {
    what: 'document',
    name: word,
    hint: nearestHint(word, ids),
  })
}
