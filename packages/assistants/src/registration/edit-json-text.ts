import { blankComments } from '@steward/contract'

interface Member {
  name: string
  /** Where its name begins, and where its value begins and ends. */
  start: number
  valueStart: number
  end: number
}

/**
 * Sets one member of the object that a JSON text holds, or removes it when there is no value. Every
 * other character stays, comments included.
 */
export const setMember = (text: string, name: string, value: unknown): string => {
  const plain = blankComments(text)
  const members = membersOf(plain)
  const known = members.find((member) => member.name === name)
  if (value === undefined) return known === undefined ? text : cut(text, plain, known)
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? '  '
  const shown = JSON.stringify(value, null, indent).replaceAll('\n', `\n${indent}`)
  if (known !== undefined) return text.slice(0, known.valueStart) + shown + text.slice(known.end)
  const entry = `\n${indent}${JSON.stringify(name)}: ${shown}`
  const last = members.at(-1)
  if (last !== undefined) return `${text.slice(0, last.end)},${entry}${text.slice(last.end)}`
  const at = plain.indexOf('{') + 1
  return `${text.slice(0, at)}${entry}\n${text.slice(at)}`
}

/** A member with its comma: the one behind it, or of the last member the one in front. */
const cut = (text: string, plain: string, { start, end }: Member): string => {
  const behind = /^\s*,/.exec(plain.slice(end))?.[0].length
  if (behind !== undefined)
    return text.slice(0, start) + text.slice(end + behind).replace(/^[ \t]*\n?[ \t]*/, '')
  const comma = /,\s*$/.exec(plain.slice(0, start))?.index
  if (comma === undefined) return text.slice(0, start).trimEnd() + text.slice(end)
  return text.slice(0, comma) + text.slice(comma + 1, start).trimEnd() + text.slice(end)
}

/** The members of the outermost object; the text is known to be good JSON. */
const membersOf = (plain: string): Member[] => {
  const members: Member[] = []
  let depth = 0
  let open: Pick<Member, 'name' | 'start' | 'valueStart'> | undefined
  const close = (at: number): void => {
    if (open !== undefined) members.push({ ...open, end: plain.slice(0, at).trimEnd().length })
    open = undefined
  }
  for (const { 0: token, index } of plain.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],]/g)) {
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') {
      if (depth === 1) close(index)
      depth -= 1
    } else if (token === ',' && depth === 1) close(index)
    else if (token.startsWith('"') && depth === 1 && open === undefined) {
      const behind = index + token.length
      const gap = /^\s*:\s*/.exec(plain.slice(behind))?.[0].length ?? 0
      open = { name: String(JSON.parse(token)), start: index, valueStart: behind + gap }
    }
  }
  return members
}
