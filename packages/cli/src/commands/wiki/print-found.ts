import type { Wiki } from '@steward/knowledge'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'

export interface PrintFoundOptions {
  /** The display name of a result, if not its id. */
  nameOf?: (id: string) => string
  /** Show the parts of each score. */
  why?: true | undefined
}

/** Search results for people: the location, the matching text, and corrections. */
export const printFound = (
  io: Io,
  { results, total, matched, corrections }: Awaited<ReturnType<Wiki['search']>>,
  { nameOf = (id) => id, why }: PrintFoundOptions,
): void => {
  const { paint } = io.out
  for (const { word, used } of corrections) {
    io.err.write(`${cleanText(word)} not found; searched for ${cleanText(used.join(', '))}\n`)
  }
  if (matched === 'none') io.err.write('no results\n')
  if (matched === 'some') io.err.write('no result has all words; these have some\n')
  for (const { id, title, heading, snippet, score, why: reasons } of results) {
    const place = heading === '' || heading === title ? '' : ` › ${heading}`
    io.out.write(`${paint.bold(cleanText(nameOf(id)))}  ${cleanText(`${title}${place}`)}\n`)
    const text = snippet
      .map((part) => (part.hit ? paint.green(cleanText(part.text)) : cleanText(part.text)))
      .join('')
    if (text !== '') io.out.write(`  ${text}\n`)
    const parts = reasons.map(({ part, points }) => `${part} ${points}`).join(', ')
    if (why) io.out.write(paint.dim(`  ${score}: ${parts}\n`))
  }
  if (total > results.length) io.out.write(`and ${total - results.length} more (--limit)\n`)
}
