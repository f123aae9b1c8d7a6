import { MARK } from './marks.ts'
import type { WordPart } from './syntax.ts'

type Atom = string | WordPart

const MAX_WORDS = 64
/** Real words contain fewer groups, and each one may double the work. */
const MAX_GROUPS = 16

/** Expands `a{b,c}` to `ab ac` and `{1..3}` to `1 2 3`; quoted braces are kept. */
export const expandBraces = (parts: readonly WordPart[]): WordPart[][] => {
  if (!parts.some((part) => part.kind === 'text' && !part.quoted && part.text.includes('{'))) {
    return [[...parts]]
  }
  const atoms = parts.flatMap((part): Atom[] =>
    part.kind === 'text' && !part.quoted ? [...part.text] : [part],
  )
  if (atoms.filter((atom) => atom === '{').length > MAX_GROUPS) {
    return [[{ kind: 'text', text: MARK.unknown, quoted: true }]]
  }
  return expandAtoms(atoms).slice(0, MAX_WORDS).map(toParts)
}

const expandAtoms = (atoms: readonly Atom[]): Atom[][] => {
  for (let open = 0; open < atoms.length; open += 1) {
    if (atoms[open] !== '{') continue
    const group = readGroup(atoms, open)
    if (group === undefined) continue
    const before = atoms.slice(0, open)
    const rests = expandAtoms(atoms.slice(group.close + 1))
    const words: Atom[][] = []
    for (const choice of group.choices.flatMap(expandAtoms)) {
      for (const rest of rests) {
        words.push([...before, ...choice, ...rest])
        if (words.length >= MAX_WORDS) return words
      }
    }
    return words
  }
  return [[...atoms]]
}

const readGroup = (
  atoms: readonly Atom[],
  open: number,
): { close: number; choices: Atom[][] } | undefined => {
  const choices: Atom[][] = [[]]
  let depth = 0
  for (let at = open + 1; at < atoms.length; at += 1) {
    const atom = atoms[at]
    if (atom === undefined) return undefined
    if (atom === '}' && depth === 0) {
      if (choices.length > 1) return { close: at, choices }
      const range = readRange(choices[0] ?? [])
      return range && { close: at, choices: range }
    }
    if (atom === '{') depth += 1
    if (atom === '}') depth -= 1
    if (atom === ',' && depth === 0) choices.push([])
    else choices.at(-1)?.push(atom)
  }
  return undefined
}

const readRange = (atoms: readonly Atom[]): Atom[][] | undefined => {
  const text = atoms.every((atom) => typeof atom === 'string') ? atoms.join('') : ''
  const match = /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.-?\d+)?$/.exec(text)
  if (match === null) return undefined
  const [, first = '', last = ''] = match
  const isNumber = /\d/.test(first)
  const from = isNumber ? Number(first) : first.charCodeAt(0)
  const to = isNumber ? Number(last) : last.charCodeAt(0)
  const count = Math.min(Math.abs(to - from) + 1, MAX_WORDS)
  return Array.from({ length: count }, (_, n) => {
    const value = from + Math.sign(to - from) * n
    return [...(isNumber ? String(value) : String.fromCharCode(value))]
  })
}

const toParts = (atoms: readonly Atom[]): WordPart[] => {
  const parts: WordPart[] = []
  for (const atom of atoms) {
    const last = parts.at(-1)
    if (typeof atom !== 'string') parts.push(atom)
    else if (last?.kind === 'text' && !last.quoted) last.text += atom
    else parts.push({ kind: 'text', text: atom, quoted: false })
  }
  return parts
}
