import { PLAIN_LETTERS } from '../plain-letters.ts'

/** Scripts without spaces: each character is a word, and words are phrases of them. */
const ALONE = String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}`
const WORD = new RegExp(
  String.raw`[[\p{L}\p{N}\p{M}]--[${ALONE}]]+|[[${ALONE}]&&[\p{L}\p{N}]]\p{M}*`,
  'gv',
)
const PLAIN = /^[a-z0-9]+$/
const BEYOND_ASCII = /[^\p{ASCII}]/u
const LONGEST = 64

/** Normalises a word: lower case, without accents. `Größe` is `grosse`, `Ärger` is `arger`. */
const foldWord = (word: string): string =>
  PLAIN.test(word)
    ? word
    : word
        .normalize('NFKD')
        .toLowerCase()
        .replaceAll(/[\u0300-\u036f]+/g, '')
        .replaceAll(/[ßæœøđðþłı]/g, (letter) => PLAIN_LETTERS[letter] ?? letter)
        .normalize('NFC')

export interface Word {
  /** Folded. */
  term: string
  start: number
  end: number
}

/** The words of a text with their positions. */
export const findWords = (text: string): Word[] => {
  const words: Word[] = []
  for (const { 0: word, index } of text.matchAll(WORD)) {
    for (const term of termsOf(word)) words.push({ term, start: index, end: index + word.length })
  }
  return words
}

/** Like `findWords`, without positions. */
export const foldWords = (text: string): string[] =>
  BEYOND_ASCII.test(text)
    ? (text.match(WORD)?.flatMap(termsOf) ?? [])
    : (text
        .toLowerCase()
        .match(/[a-z0-9]+/g)
        ?.filter(isTerm) ?? [])

/** Folding may split a word (`½` is `1⁄2`). */
const termsOf = (word: string): string[] => {
  const folded = foldWord(word)
  return (PLAIN.test(folded) ? [folded] : (folded.match(WORD) ?? [])).filter(isTerm)
}

const isTerm = (term: string): boolean => term.length <= LONGEST

/** Whether a word is one character of a script without spaces. */
export const standsAlone = (term: string): boolean => ALONE_START.test(term)
const ALONE_START = new RegExp(`^[${ALONE}]`, 'v')
