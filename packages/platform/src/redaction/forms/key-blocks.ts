import { charSet, type SecretScan } from './secret-scan.ts'

const BEGIN =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|---- ?BEGIN SSH2 [A-Z ]{0,20}PRIVATE KEY ?----|PuTTY-User-Key-File-[0-9]:/g
const END = /-{4,5} ?END |Private-MAC: ?/g
const SPACE = /\s|\\[nr]|$/g
/** How the bodies of private keys begin when the line above them is missing: OpenSSH, RSA, PKCS 8, EC. */
const BODY =
  /b3BlbnNzaC1rZXktdjE|MII[A-Z][\w+/]{2}IBA[AD]|MHcCAQEEI|MIG[HI]AgEA|MC4CAQAwBQYDK2VwBCIE/g
/** Of each, what a text must hold. */
const BODY_PARTS = ['b3BlbnNzaC1r', 'MII', 'MHcCAQEEI', 'MIG', 'MC4CAQAw']
const BASE64 = charSet(/[A-Za-z0-9+/=]/)
const BLANK = charSet(/[ \t\r\n>]/)
const SHORTEST_LINE = 40

/** Blocks of private keys, with or without the lines around them. What has no end goes to the end. */
export const hideKeyBlocks = (scan: SecretScan): void => {
  if (scan.text.includes('PRIVATE KEY') || scan.text.includes('PuTTY')) hideWholeBlocks(scan)
  if (BODY_PARTS.some((part) => scan.text.includes(part))) hideBodies(scan)
}

const hideWholeBlocks = (scan: SecretScan): void => {
  const { text } = scan
  BEGIN.lastIndex = 0
  for (let hit = BEGIN.exec(text); hit !== null; hit = BEGIN.exec(text)) {
    const from = hit.index + hit[0].length
    // A program that only looks for the line has it in quotes.
    if (/^\s{0,2}["'`)|]/.test(text.slice(from, from + 3))) continue
    const end = endOfBlock(text, from)
    scan.look(end - hit.index)
    scan.hide(hit.index, end)
    BEGIN.lastIndex = end
  }
}

const hideBodies = (scan: SecretScan): void => {
  const { text } = scan
  BODY.lastIndex = 0
  for (let hit = BODY.exec(text); hit !== null; hit = BODY.exec(text)) {
    const end = endOfBody(scan, hit.index)
    scan.hide(hit.index, end)
    BODY.lastIndex = end
  }
}

const endOfBlock = (text: string, from: number): number => {
  END.lastIndex = from
  const end = END.exec(text)
  if (end === null) return text.length
  SPACE.lastIndex = end.index + end[0].length
  if (!end[0].startsWith('-')) return SPACE.exec(text)?.index ?? text.length
  const close = text.indexOf('----', SPACE.lastIndex)
  if (close === -1) return text.length
  return close + (text[close + 4] === '-' ? 5 : 4)
}

/** Follows the lines of base64; the last one may be short. */
const endOfBody = (scan: SecretScan, from: number): number => {
  let end = scan.runEnd(from, BASE64)
  for (let isFull = true; isFull; ) {
    const next = skipBreak(scan, end)
    if (next === end) return end
    const lineEnd = scan.runEnd(next, BASE64)
    isFull = lineEnd - next >= SHORTEST_LINE
    const isLast = !isFull && lineEnd - next >= 4 && /[\d+/=]/.test(scan.text.slice(next, lineEnd))
    if (!isFull && !isLast) return end
    end = lineEnd
  }
  return end
}

/** A line break, as it is or as JSON and shells write it. */
const skipBreak = (scan: SecretScan, from: number): number => {
  let at = scan.runEnd(from, BLANK, 200)
  while (/^\\[nr]$/.test(scan.text.slice(at, at + 2))) at = scan.runEnd(at + 2, BLANK, 200)
  return at
}
