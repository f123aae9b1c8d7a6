import {
  describeIssues,
  isJsonObject,
  issuesOf,
  type Opinion,
  opinion,
  StewardError,
} from '@steward/contract'
import { type Document, isMap, isSeq, type YAMLSeq } from 'yaml'
import { z } from 'zod'
import type { AssistantFiles } from '../files/assistant-files.ts'
import { parseYaml, renderYaml, unreadable } from '../files/assistant-yaml.ts'

const OPINIONS_FILE = 'opinions.yaml'

const STARTING_TEXT = `# The opinions of your assistant. The confidence is computed from the evidence: (for + 1) / (for + against + 2).
opinions: []
`

export type HeldOpinion = Opinion & { confidence: number; evidence_count: number }

export interface Evidence {
  stance: 'for' | 'against'
  note?: string | undefined
}

/**
 * Confidence from evidence: the mean of a Beta distribution with a uniform prior. Without evidence
 * it is one half; one piece moves it to two thirds or one third, further pieces move it less.
 */
const confidenceOf = ({ for: supporting, against }: Pick<Opinion, 'for' | 'against'>) =>
  Math.round(((supporting + 1) / (supporting + against + 2)) * 1000) / 1000

/** Throws `assistant_unreadable`. */
export const readOpinions = async (
  files: AssistantFiles,
): Promise<{ raw: string; opinions: HeldOpinion[] }> => {
  const raw = (await files.read(OPINIONS_FILE)) ?? ''
  return { raw, opinions: parseOpinions(raw) }
}

const parseOpinions = (text: string): HeldOpinion[] => {
  const content: unknown = parseYaml(text, OPINIONS_FILE).toJS() ?? {}
  const parsed = z
    .array(opinion)
    .safeParse(isJsonObject(content) ? (content.opinions ?? []) : content)
  if (!parsed.success) throw unreadable(OPINIONS_FILE, describeIssues(issuesOf(parsed.error)))
  return parsed.data.map(hold)
}

const hold = (held: Opinion): HeldOpinion => ({
  ...held,
  confidence: confidenceOf(held),
  evidence_count: held.for + held.against,
})

/** Adds an opinion without evidence. Throws `already_exists`. */
export const addOpinion = async (
  files: AssistantFiles,
  wanted: Pick<Opinion, 'topic' | 'position'> & { id?: string; source?: string },
  day: string,
): Promise<HeldOpinion> => {
  const { topic, position, source = 'you' } = wanted
  const id = wanted.id ?? slugOf(`${topic}-${position}`)
  const added: Opinion = { id, topic, position, for: 0, against: 0, source, first_observed: day }
  await edit(files, (list, document, known) => {
    if (known.some((each) => each.id === id)) {
      throw new StewardError('already_exists', { subject: `opinion ${id}`, hint: '' })
    }
    list.flow = false
    list.add(document.createNode({ ...added, confidence: confidenceOf(added) }))
  })
  return hold(added)
}

/** Counts evidence and updates the confidence. Throws `not_found`. */
export const addEvidence = async (
  files: AssistantFiles,
  id: string,
  { stance, note }: Evidence,
  day: string,
): Promise<HeldOpinion> => {
  let result: HeldOpinion | undefined
  await edit(files, (list, _document, known) => {
    const held = known.find((each) => each.id === id)
    const entry = list.items.find((item) => isMap(item) && item.get('id') === id)
    if (held === undefined || !isMap(entry)) {
      throw new StewardError('not_found', { what: 'opinion', name: id })
    }
    const counted = {
      ...held,
      [stance]: held[stance] + 1,
      ...(stance === 'for' ? { last_confirmed: day } : {}),
      ...(note === undefined || note === '' ? {} : { last_note: note }),
    }
    entry.set('for', counted.for)
    entry.set('against', counted.against)
    entry.set('confidence', confidenceOf(counted))
    if (counted.last_confirmed !== undefined) entry.set('last_confirmed', counted.last_confirmed)
    if (counted.last_note !== undefined) entry.set('last_note', counted.last_note)
    result = hold(counted)
  })
  if (result === undefined) throw new StewardError('internal', { reason: 'no opinion was changed' })
  return result
}

const edit = (
  files: AssistantFiles,
  change: (list: YAMLSeq, document: Document, known: HeldOpinion[]) => void,
): Promise<void> =>
  files.change(OPINIONS_FILE, (text = STARTING_TEXT) => {
    const known = parseOpinions(text)
    const document = parseYaml(text, OPINIONS_FILE)
    change(listOf(document), document, known)
    const after = renderYaml(document)
    parseOpinions(after)
    return after
  })

const listOf = (document: Document): YAMLSeq => {
  if (isSeq(document.contents)) return document.contents
  if (!isMap(document.contents)) document.contents = document.createNode({ opinions: [] })
  const list = document.get('opinions')
  if (isSeq(list)) return list
  const made = document.createNode([])
  document.set('opinions', made)
  return made
}

const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '') || 'opinion'
