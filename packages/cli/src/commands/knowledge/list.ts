import type { KnowledgeDomain } from '@steward/contract'
import { filterNotes, keyOf, summarise } from '@steward/knowledge'
import { Command } from 'commander'
import { parseCount } from '../../input/parse-count.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { openKnowledge, parseDomainOption } from './open-knowledge.ts'

interface ListFlags {
  tag?: string
  limit: number
  json?: true
}

export const createKnowledgeListCommand = (io: Io): Command =>
  new Command('list')
    .description('Shows notes, the last changed first.')
    .argument('[domain]', 'only People, Companies, Ideas or Research', parseDomainOption)
    .option('--tag <tag>', 'only notes with this tag')
    .option('--limit <n>', 'at most so many', parseCount, 50)
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
