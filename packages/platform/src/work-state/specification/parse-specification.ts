import {
  type CriteriaWarning,
  type Criterion,
  PHASES,
  type Phase,
  readFrontMatter,
} from '@steward/contract'
import { readCriteria } from './criteria.ts'
import { type Section, splitSections } from './sections.ts'

/** The content of a specification file. */
export interface Specification {
  task?: string
  slug?: string
  effort?: string
  phase?: Phase
  /** `done/total`: from the file, or else counted from its criteria. */
  progress: string
  started?: string
  updated?: string
  iteration?: number
  criteria: Criterion[]
  intent?: string
  criteriaParseWarning?: CriteriaWarning
  /** Problems in the file, for people. */
  problems: string[]
}

const INTENT_CHARS = 280
const SLUG_CHARS = 200

/** Parses a specification leniently. */
export const parseSpecification = (text: string): Specification => {
  const { fields, body } = readFrontMatter(text.replaceAll(/\r\n?/g, '\n'))
  const values = byLowerCaseName(fields)
  const sections = splitSections(body)
  const { criteria, warning, dropped } = readCriteria(sections)
  const phase = PHASES.find((name) => name === values.get('phase')?.toUpperCase())
  const progress = progressOf(values.get('progress'))
  return {
    task: values.get('task') ?? values.get('title'),
    slug: values.get('slug')?.slice(0, SLUG_CHARS),
    effort: values.get('effort')?.toLowerCase(),
    phase,
    progress: progress ?? countProgress(criteria),
    started: values.get('started'),
    updated: values.get('updated'),
    iteration: iterationOf(values.get('iteration')),
    criteria,
    intent: intentOf(sections),
    criteriaParseWarning: warning,
    problems: [
      ...(phase === undefined
        ? [`phase: ${foundIn(values, 'phase')}; one of ${PHASES.join(', ')}`]
        : []),
      ...(progress === undefined ? [`progress: ${foundIn(values, 'progress')}; done/total`] : []),
      ...dropped.map((line) => `no criterion, it needs an id of its own (ISC-1: text): ${line}`),
    ],
  }
}

/** Names of fields are case-insensitive; empty fields do not count. */
const byLowerCaseName = (fields: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map(
    [...fields].flatMap(([name, value]) =>
      value.trim() === '' ? [] : [[name.toLowerCase(), value.trim()]],
    ),
  )

const foundIn = (values: ReadonlyMap<string, string>, key: string): string => {
  const value = values.get(key)
  return value === undefined ? 'missing' : `found "${value}"`
}

const progressOf = (value: string | undefined): string | undefined => {
  const [, done, total] = /^(\d{1,6})\s*\/\s*(\d{1,6})$/.exec(value ?? '') ?? []
  return done === undefined || total === undefined ? undefined : `${Number(done)}/${Number(total)}`
}

const countProgress = (criteria: readonly Criterion[]): string =>
  `${criteria.filter(({ status }) => status === 'completed').length}/${criteria.length}`

const iterationOf = (value: string | undefined): number | undefined => {
  const iteration = /^\d{1,6}$/.test(value ?? '') ? Number(value) : 0
  return iteration > 0 ? iteration : undefined
}

const intentOf = (sections: readonly Section[]): string | undefined => {
  const named = (title: string) =>
    sections.find((section) => section.level === 2 && section.title.toLowerCase() === title)
  const lines = (named('intent') ?? named('context'))?.lines ?? []
  const text = lines.join(' ').replaceAll(/\s+/g, ' ').trim()
  if (text === '') return undefined
  const chars = [...text]
  return chars.length > INTENT_CHARS ? `${chars.slice(0, INTENT_CHARS - 1).join('')}…` : text
}
