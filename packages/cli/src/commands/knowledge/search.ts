import { keyOfNoteId, NOTE_KIND, summarise } from '@steward/knowledge'
import { Command } from 'commander'
import { parseCount } from '../../input/parse-count.ts'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { printFound } from '../wiki/print-found.ts'
import { useWiki } from '../wiki/use-wiki.ts'

interface SearchFlags {
  limit: number
  why?: true
  json?: true
}

export const createKnowledgeSearchCommand = (io: Io): Command =>
  new Command('search')
    .description('Finds notes by their words, titles, tags and aliases; slips are put right.')
    .argument('<words...>', 'what to look for; "words in quotes" as they stand')
    .option('--limit <n>', 'at most so many', parseCount, 20)
    .option('--why', 'show what each score is made of')
    .option('--json', 'print JSON')
    .action((words: string[], { limit, why, json }: SearchFlags) =>
      useWiki(io, ({ wiki, notes }) => {
        const answer = wiki.search(words.join(' '), { kinds: [NOTE_KIND], limit })
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
