import { posix } from 'node:path'
import { type KnowledgeDomain, parseKnowledgeDomain } from '@steward/contract'
import { maskCode } from './mask-code.ts'

/** A link to another note, as it stands in a text. */
export interface NoteLink {
  kind: 'wiki' | 'markdown'
  /** What it names: `slug`, `Ideas/slug`, a title; for a Markdown link `Ideas/slug`. */
  target: string
  /** Where the target stands in the text, without its heading and its words. */
  start: number
  end: number
}

const WIKI = /\[\[([^[\]\n|#]{1,300})(?:#[^[\]\n|]{0,300})?(?:\|[^[\]\n]{0,300})?\]\]/g
const MARKDOWN =
  /\[[^[\]\n]{0,500}\]\([ \t]*<?([^\s()<>#]{1,500}\.md)(?:#[^\s()<>]{0,300})?>?[ \t]*(?:"[^"\n]{0,300}")?\)/gi

/** `[[slug]]`, `[[Ideas/slug|words]]` and `[words](../Ideas/slug.md)`, in the order they stand. */
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
      if (target !== '') links.push({ kind: 'wiki', target, start, end: start + inner.length })
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

/** The note that a relative path leads to from a domain's folder; a path to elsewhere is no link to a note. */
const targetOfPath = (path: string, domain: KnowledgeDomain): string | undefined => {
  if (path.startsWith('/') || /^[a-z][a-z\d+.-]*:/i.test(path)) return undefined
  const [folder = '', name = '', ...rest] = posix.join(domain, decode(path)).split('/')
  const target = parseKnowledgeDomain(folder)
  if (target === undefined || rest.length > 0 || target.toLowerCase() !== folder.toLowerCase()) {
    return undefined
  }
  return `${target}/${name.replace(/\.md$/i, '')}`
}

const decode = (path: string): string => {
  try {
    return decodeURIComponent(path)
  } catch (thrown) {
    if (thrown instanceof URIError) return path
    throw thrown
  }
}
