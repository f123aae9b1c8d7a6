import type { ObservedEffectName } from '@steward/contract'
import type { CallEffect, Evidence } from './evidence.ts'

/** A bounded summary of rows judged before, however long the session lasts. */
export interface SessionFacts {
  rows: number
  tools: Readonly<Record<string, number>>
  effects: Readonly<Partial<Record<ObservedEffectName, number>>>
  /** Deletions that count: not those of disposable files. */
  deletes: number
  /** The most recent ones. */
  credentials: readonly string[]
  /** The most recent directories that were written to. */
  places: readonly string[]
  /** The most recent votes other than `continue`. */
  concerns: readonly string[]
  /** Tools for which the host asked the user for permission. */
  asked: readonly string[]
}

export const NO_FACTS: SessionFacts = {
  rows: 0,
  tools: {},
  effects: {},
  deletes: 0,
  credentials: [],
  places: [],
  concerns: [],
  asked: [],
}

const KEPT = 6

export const addRows = (facts: SessionFacts, rows: readonly Evidence[]): SessionFacts => {
  const tools = new Map(Object.entries(facts.tools))
  const effects = { ...facts.effects }
  for (const { tool, effects: done } of rows) {
    tools.set(tool, (tools.get(tool) ?? 0) + 1)
    for (const { kind } of done) effects[kind] = (effects[kind] ?? 0) + 1
  }
  const targets = (wanted: ObservedEffectName): string[] =>
    rows.flatMap((row) => row.effects.flatMap((e) => (e.kind === wanted ? [e.target] : [])))
  return {
    ...facts,
    rows: facts.rows + rows.length,
    tools: Object.fromEntries(tools),
    effects,
    deletes: facts.deletes + countDeletes(rows),
    credentials: lastOf([...facts.credentials, ...targets('credential')]),
    places: lastOf([...facts.places, ...targets('write').map(directoryOf)]),
  }
}

export const addConcerns = (facts: SessionFacts, concerns: readonly string[]): SessionFacts =>
  concerns.length === 0 ? facts : { ...facts, concerns: lastOf([...facts.concerns, ...concerns]) }

export const countDeletes = (rows: readonly Evidence[]): number =>
  rows.reduce((sum, { effects }) => sum + effects.filter(isRealDelete).length, 0)

export const isRealDelete = ({ kind, disposable }: Evidence['effects'][number]): boolean =>
  kind === 'delete' && !disposable

/** Uses a whole folder, or selects files anywhere below a folder outside the session's own. */
export const reachesDeep = ({ recursive, inside, target }: CallEffect): boolean =>
  recursive || (!inside && target.includes('/**/') && !BELOW_TMP.test(target))

/** Also on another machine. */
const BELOW_TMP = /^([^/]*:)?\/(var\/)?tmp\//

/** The facts in a few lines, for a model. */
export const describeFacts = (facts: SessionFacts): string => {
  const counted = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, 8)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')
  const lines = [
    `calls before: ${facts.rows}${facts.rows === 0 ? '' : ` (${counted(facts.tools)})`}`,
    `effects before: ${counted(facts.effects) || 'none'}; deletes that count: ${facts.deletes}`,
    ...(facts.places.length === 0 ? [] : [`wrote last in: ${facts.places.join(', ')}`]),
    ...(facts.credentials.length === 0 ? [] : [`read secrets: ${facts.credentials.join(', ')}`]),
    ...(facts.concerns.length === 0 ? [] : [`earlier concerns: ${facts.concerns.join('; ')}`]),
  ]
  return lines.map((line) => line.slice(0, 300)).join('\n')
}

const directoryOf = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf('/')))

const lastOf = (values: readonly string[]): string[] => [...new Set(values)].slice(-KEPT)
