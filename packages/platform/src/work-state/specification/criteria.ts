import type { CriteriaWarning, Criterion } from '@steward/contract'
import type { Section } from './sections.ts'

export interface Criteria {
  criteria: Criterion[]
  warning?: CriteriaWarning
  /** Lines that look like criteria but have no id or a duplicate one. */
  dropped: string[]
}

const ITEM = /^[ \t]*[-*+][ \t]+\[([ xX])\][ \t]*(.*)$/s
const TAG = /^\[([A-Za-z][\w-]{0,15})\][ \t]*/
const ID = /^\*{0,2}(ISC-[A-Za-z0-9][\w.-]*)\*{0,2}[ \t]*/i
const SEPARATOR = /^(?::|—|–|-)?[ \t]*/
const ANTI_WORD = /^anti:[ \t]*/i
const ANTI_ID = /^ISC-A(?:-|\d)/i

/** The criteria of a specification: `- [ ] ISC-1: text`, checked or not. */
export const readCriteria = (sections: readonly Section[]): Criteria => {
  const lines = criteriaLines(sections)
  if (lines === undefined) return { criteria: [], dropped: [], warning: 'missing-section' }
  const items = lines.filter((line) => ITEM.test(line))
  if (items.length === 0) return { criteria: [], dropped: [], warning: 'empty-section' }
  const byId = new Map<string, Criterion>()
  const dropped: string[] = []
  for (const line of items) {
    const criterion = readItem(line)
    if (criterion === undefined || byId.has(criterion.id)) dropped.push(line.trim())
    else byId.set(criterion.id, criterion)
  }
  const criteria = [...byId.values()]
  return { criteria, dropped, ...(criteria.length === 0 ? { warning: 'all-dropped' } : {}) }
}

const isCriteriaHeading = ({ level, title }: Section): boolean => {
  const name = title.toLowerCase()
  if (level === 3) return name === 'criteria'
  if (level !== 2) return false
  return name === 'isc criteria' || name === 'criteria' || name.startsWith('ideal state criteria')
}

/** From the heading to the next one of its level; deeper headings only group. */
const criteriaLines = (sections: readonly Section[]): string[] | undefined => {
  const from = sections.findIndex(isCriteriaHeading)
  if (from === -1) return undefined
  const rest = sections.slice(from + 1)
  const end = rest.findIndex(({ level }) => level <= 2)
  const within = [...sections.slice(from, from + 1), ...(end === -1 ? rest : rest.slice(0, end))]
  return within.flatMap(({ lines }) => lines)
}

const readItem = (line: string): Criterion | undefined => {
  const [, box, text = ''] = ITEM.exec(line) ?? []
  const front = takeTag(text)
  const [whole, id] = ID.exec(front.rest) ?? []
  if (whole === undefined || id === undefined) return undefined
  const middle = takeTag(front.rest.slice(whole.length))
  const back = takeTag(middle.rest.replace(SEPARATOR, ''))
  const description = back.rest.replace(ANTI_WORD, '').trim()
  if (description === '') return undefined
  const tag = front.tag ?? middle.tag ?? back.tag
  const isAnti = ANTI_WORD.test(back.rest) || ANTI_ID.test(id)
  return {
    id: id.toUpperCase(),
    description,
    type: isAnti ? 'anti-criterion' : 'criterion',
    status: box === ' ' ? 'pending' : 'completed',
    ...(tag === undefined ? {} : { tag }),
  }
}

const takeTag = (text: string): { tag?: string; rest: string } => {
  const [whole, tag] = TAG.exec(text) ?? []
  return whole === undefined ? { rest: text } : { tag, rest: text.slice(whole.length) }
}
