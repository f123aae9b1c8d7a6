import { posix } from 'node:path'
import { type KnowledgeDomain, parseKnowledgeDomain } from '@steward/contract'
import { decodePercent } from '@steward/platform'
import { maskCode } from './mask-code.ts'

/** A link to another note in a text. */
export interface NoteLink {
  kind: 'wiki' | 'markdown'
  /** The link target: `slug`, `Ideas/slug`, a title; for a Markdown link `Ideas/slug`. */
  target: string
  /** The position of the target in the text, without heading and label. */
  start: number
  end: number
  /** Written before it as `supports:: [[target]]`. */
  type?: string
}

const WIKI = /\[\[([^[\]\n|#]{1,300})(?:#[^[\]\n|]{0,300})?(?:\|[^[\]\n]{0,300})?\]\]/g
const MARKDOWN =
  /\[[^[\]\n]{0,500}\]\([ \t]*<?([^\s()<>#]{1,500}\.md)(?:#[^\s()<>]{0,300})?>?[ \t]*(?:"[^"\n]{0,300}")?\)/gi

/** `[[slug]]`, `[[Ideas/slug|words]]` and `[words](../Ideas/slug.md)`, in order. */
export const findLinks = (text: string, domain: KnowledgeDomain): NoteLink[] => {
  const hasWiki = text.includes('[[')
  const hasMarkdown = text.includes('](')
  if (!hasWiki && !hasMarkdown) return []
  const masked = maskCode(text)
  const links: NoteLink[] = []
  if (hasWiki) {
    for (const { 0: whole, 1: inner = '', index } of masked.matchAll(WIKI)) {
      const target = inner.trim().replace(/\.md$/i, '')
      const start = index + whole.indexOf('[[') + 2
      const type = typeBefore(masked, index)
      if (target !== '')
        links.push({ kind: 'wiki', target, start, end: start + inner.length, ...type })
    }
  }
  if (hasMarkdown) {
    for (const { 0: whole, 1: path = '', index } of masked.matchAll(MARKDOWN)) {
      const target = targetOfPath(path, domain)
      const start = index + whole.indexOf(path, whole.indexOf(']('))
      if (target !== undefined) {
        links.push({ kind: 'markdown', target, start, end: start + path.length })
      }
    }
  }
  return links.toSorted((a, b) => a.start - b.start)
}

const TYPE =
  /(?:^|[\n[(])[ \t]*(?:[-*+][ \t]+)?([\p{L}\p{N}][\p{L}\p{N} _-]{0,59})::[^\n:]{0,300}$/u
const LONGEST_LEAD = 400

/** The name of an inline field (`supports:: [[a]], [[b]]`) that a link is in. */
const typeBefore = (text: string, at: number): { type?: string } => {
  const lead = text.slice(Math.max(text.lastIndexOf('\n', at - 1), at - LONGEST_LEAD, 0), at)
  const type = lead.includes('::') ? TYPE.exec(lead)?.[1]?.trim() : undefined
  return type === undefined ? {} : { type }
}

/** Resolves a relative path from a domain's folder; undefined if it does not point to a note. */
const targetOfPath = (path: string, domain: KnowledgeDomain): string | undefined => {
  if (path.startsWith('/') || /^[a-z][a-z\d+.-]*:/i.test(path)) return undefined
  const [folder = '', name = '', ...rest] = posix.join(domain, decodePercent(path)).split('/')
  const target = parseKnowledgeDomain(folder)
  if (target === undefined || rest.length > 0 || target.toLowerCase() !== folder.toLowerCase()) {
    return undefined
  }
  return `${target}/${name.replace(/\.md$/i, '')}`
}
