import type { ListedEntry, Listing } from '@steward/runner'
import type { Sink } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { formatTable } from '../../output/table.ts'

const TITLES = { actions: 'Actions', pipelines: 'Pipelines', flows: 'Flows' } as const

/** The listing for people: a table a kind, what is broken in red below its name. */
export const renderListing = (listing: Partial<Listing>, { paint }: Sink): string => {
  const sections = (['actions', 'pipelines', 'flows'] as const).flatMap((kind) => {
    const entries = listing[kind]
    if (entries === undefined) return []
    const rows = entries.map((entry) => [
      `  ${entry.error === undefined ? entry.name : paint.red(entry.name)}`,
      paint.dim(describeOrigin(entry)),
      cleanText(describeEntry(entry)),
    ])
    const body = rows.length === 0 ? '  none\n' : formatTable(rows)
    return [`${paint.bold(TITLES[kind])}\n${body}`]
  })
  const errors = (listing.errors ?? []).map(
    (error) => `${paint.red('error:')} ${cleanText(error)}\n`,
  )
  return [...sections, ...errors].join('\n')
}

const describeOrigin = ({ origin, overrides }: ListedEntry): string =>
  overrides ? `${origin}, overriding` : origin

const describeEntry = ({ error, description, pipeline, enabled }: ListedEntry): string => {
  if (error !== undefined) return `does not load: ${error.replace(/^does not load: /, '')}`
  const text = description ?? (pipeline === undefined ? '' : `runs ${pipeline}`)
  return enabled === false ? `${text} (disabled)` : text
}
