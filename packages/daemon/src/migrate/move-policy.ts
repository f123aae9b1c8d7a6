import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PATH_TIERS, PATTERN_SECTIONS, reasonOf, securityPolicy } from '@steward/contract'
import { parseYamlDocument } from '@steward/contract/yaml'
import { readIfPresentSync } from '@steward/platform'
import { type Document, isMap, isScalar, isSeq } from 'yaml'
import type { MoveItem, MovePlan } from './move.ts'

export const POLICY = 'USER/SECURITY/PATTERNS.yaml'
const PART = 'policy'

export interface PolicyPlaces {
  /** `USER` of the old installation. */
  user: string | undefined
  /** The old tree, and the folder of the assistant that it belongs to. */
  root: string
  harness: string
  home: string
}

/**
 * Takes over the policy so that no rule of it is lost: paths with variables of LifeOS get the real
 * paths. Sections that Steward does not have are named in the report.
 */
export const movePolicy = (places: PolicyPlaces): MovePlan => {
  const file = places.user === undefined ? '' : join(places.user, 'SECURITY/PATTERNS.yaml')
  // Links are not followed, and the report says so.
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return { items: [], writes: [] }
  const text = readFileSync(file, 'utf8')
  const item = { part: PART, from: POLICY, to: POLICY }
  const own = readIfPresentSync(join(places.home, POLICY))
  try {
    const { content, items } = convert(text, places)
    if (own === content) return { items: [{ ...item, outcome: 'same' }, ...items], writes: [] }
    if (own !== undefined) {
      const note = 'the data home has another file of this name'
      return { items: [{ ...item, outcome: 'kept', note }], writes: [] }
    }
    const outcome = content === text ? 'taken' : 'converted'
    return { items: [{ ...item, outcome }, ...items], writes: [{ to: POLICY, content }] }
  } catch (thrown) {
    const note = `it cannot be read, and the built-in rules apply: ${reasonOf(thrown)}`
    return { items: [{ ...item, outcome: 'left', note }], writes: [] }
  }
}

const convert = (text: string, places: PolicyPlaces): { content: string; items: MoveItem[] } => {
  const document = parseYamlDocument(text)
  const [error] = document.errors
  if (error !== undefined) throw error
  const items: MoveItem[] = []
  const left = (key: string, note: string) =>
    items.push({ part: PART, from: `${POLICY}: ${key}`, outcome: 'left', note })
  const isExpanded = expandPaths(document, places, left)
  const unknown = unknownKeys(document)
  for (const path of unknown) {
    left(path.join('.'), 'Steward has no such section; it is left out')
    document.deleteIn(path)
  }
  const isChanged = isExpanded || unknown.length > 0
  return { content: isChanged ? document.toString() : text, items }
}

/** Replaces `${NAME}` in paths; returns whether there was any. */
const expandPaths = (
  document: Document,
  { root, harness, home }: PolicyPlaces,
  left: (key: string, note: string) => void,
): boolean => {
  const known: Readonly<Record<string, readonly string[]>> = {
    HARNESS_HOME: [harness],
    // What is copied must stay as protected as the original.
    PAI_DIR: [root, home],
    LIFEOS_DIR: [root, home],
    HOME: ['~'],
  }
  let isChanged = false
  for (const tier of PATH_TIERS) {
    const list = document.getIn(['paths', tier])
    if (!isSeq(list)) continue
    const before = list.items.map((each) => (isScalar(each) ? each.value : each))
    const after = before.flatMap((path) => {
      if (typeof path !== 'string') return [path]
      const [, name = ''] = /\$\{?([A-Z_]+)\}?/.exec(path) ?? []
      if (name === '') return [path]
      const values = Object.hasOwn(known, name) ? known[name] : undefined
      if (values === undefined) left(`paths.${tier}`, `${path}: the variable is not known`)
      return values?.map((value) => path.replace(/\$\{?[A-Z_]+\}?/, () => value)) ?? [path]
    })
    if (JSON.stringify(before) === JSON.stringify(after)) continue
    document.setIn(['paths', tier], document.createNode(after))
    isChanged = true
  }
  return isChanged
}

const unknownKeys = (document: Document): string[][] => {
  const unknownAt = (path: string[], known: readonly string[]): string[][] => {
    const at = path.length === 0 ? document.contents : document.getIn(path)
    const keys = isMap(at) ? at.items.map(({ key }) => String(isScalar(key) ? key.value : key)) : []
    return keys.filter((key) => !known.includes(key)).map((key) => [...path, key])
  }
  return [
    ...unknownAt([], Object.keys(securityPolicy.shape)),
    ...unknownAt(['bash'], PATTERN_SECTIONS),
    ...unknownAt(['paths'], PATH_TIERS),
  ]
}
