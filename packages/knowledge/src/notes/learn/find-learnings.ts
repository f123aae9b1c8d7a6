import { type KnowledgeDomain, parseKnowledgeDomain, readHeading } from '@steward/contract'
import { slugify } from '../slugify.ts'

/** One learning from a specification. */
export interface Learning {
  /** Its id within the specification. */
  id: string
  domain: KnowledgeDomain
  title: string
  body: string
}

const FENCE = /^ {0,3}(```|~~~)/
/** Sections that the LEARN phase writes. */
const LEARNED =
  /^(learnings?|learned|lessons?( learned)?|what (we|i) learned|knowledge|insights?|takeaways?)$/i
/** `Research: Title`. */
const NAMED = /^(\w+):[ \t]+(\S.*)$/
const LEAST_WORDS = 3

/**
 * The learnings in a specification: below `## Learnings` (or a similar heading) each deeper heading
 * is one learning, `### Research: Title` in that domain, `### Title` among the ideas. Text without
 * such headings is one learning named after the work.
 */
export const findLearnings = (text: string, task: string): Learning[] => {
  const found = sectionsOf(text).flatMap(({ level, lines }) => splitSection(level, lines, task))
  const byId = new Map<string, Learning>()
  for (const learning of found) {
    if (!byId.has(learning.id)) byId.set(learning.id, learning)
  }
  return [...byId.values()]
}

interface Line {
  text: string
  heading?: { level: number; title: string }
}

const linesOf = (text: string): Line[] => {
  let fence: string | undefined
  return text.split(/\r?\n/).map((line) => {
    const mark = FENCE.exec(line)?.[1]
    if (mark !== undefined && (fence === undefined || fence === mark)) {
      fence = fence === undefined ? mark : undefined
    }
    const heading = fence === undefined ? readHeading(line) : undefined
    if (heading === undefined || heading.level < 2 || heading.title === '') return { text: line }
    return { text: line, heading }
  })
}

const sectionsOf = (text: string): { level: number; lines: Line[] }[] => {
  const sections: { level: number; lines: Line[] }[] = []
  let open: { level: number; lines: Line[] } | undefined
  for (const line of linesOf(text)) {
    const { heading } = line
    if (heading !== undefined && (open === undefined || heading.level <= open.level)) {
      open = LEARNED.test(heading.title) ? { level: heading.level, lines: [] } : undefined
      if (open !== undefined) sections.push(open)
      continue
    }
    open?.lines.push(line)
  }
  return sections
}

const splitSection = (level: number, lines: readonly Line[], task: string): Learning[] => {
  const parts: { title?: string; lines: string[] }[] = [{ lines: [] }]
  for (const { text, heading } of lines) {
    if (heading?.level === level + 1) parts.push({ title: heading.title, lines: [] })
    else parts.at(-1)?.lines.push(text)
  }
  return parts.flatMap(({ title, lines: own }) => {
    const body = own.join('\n').trim()
    if ((body.match(/[\p{L}\p{N}]+/gu) ?? []).length < LEAST_WORDS) return []
    return [{ ...nameOf(title, task), body }]
  })
}

const nameOf = (heading: string | undefined, task: string): Omit<Learning, 'body'> => {
  if (heading === undefined) return { id: 'learned', domain: 'Ideas', title: `Learned: ${task}` }
  const [, word = '', rest] = NAMED.exec(heading) ?? []
  const domain = rest === undefined ? undefined : parseKnowledgeDomain(word)
  const title = domain === undefined || rest === undefined ? heading : rest
  return { id: slugify(title), domain: domain ?? 'Ideas', title }
}
