import { readHeading } from '@steward/contract'

export interface Section {
  /** 1 to 6. */
  level: number
  title: string
  lines: string[]
}

const RULE = /^---+[ \t]*$/
const CODE_FENCE = /^[ \t]{0,3}(```|~~~)/

/** Each heading with its lines, up to the next heading or rule; code blocks are omitted. */
export const splitSections = (body: string): Section[] => {
  const sections: Section[] = []
  let open: Section | undefined
  let fence: string | undefined
  for (const line of body.split('\n')) {
    const mark = CODE_FENCE.exec(line)?.[1]
    if (mark !== undefined && (fence === undefined || fence === mark)) {
      fence = fence === undefined ? mark : undefined
      continue
    }
    if (fence !== undefined) continue
    const heading = readHeading(line)
    if (heading !== undefined) {
      open = { ...heading, lines: [] }
      sections.push(open)
    } else if (RULE.test(line)) {
      open = undefined
    } else {
      open?.lines.push(line)
    }
  }
  return sections
}
