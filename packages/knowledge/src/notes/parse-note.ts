import { type KnowledgeDomain, readHeading, splitFrontMatter } from '@steward/contract'
import { type FieldsReading, readFields } from './frontmatter/read-fields.ts'
import type { FieldValue } from './frontmatter/read-simple.ts'
import { findLinks, type NoteLink } from './links/find-links.ts'
import type { NotePlace } from './note-place.ts'

/** The parsed content of a note. */
export interface ParsedNote {
  title: string
  type: string
  quality: number
  tags: readonly string[]
  /** From the frontmatter, or else the file's modification time. */
  created: string
  updated: string
  aliases: readonly string[]
  source?: string
  /** Link targets in its text and in its `related` field. */
  targets: readonly string[]
  /** The types of typed links, by target. */
  linkTypes: Readonly<Record<string, string>>
  hasFrontmatter: boolean
  /** Problems in the file, for people. */
  problems: readonly string[]
}

export const TYPE_OF_DOMAIN: Readonly<Record<KnowledgeDomain, string>> = {
  People: 'person',
  Companies: 'company',
  Ideas: 'idea',
  Research: 'research',
}
const DEFAULT_QUALITY = 5
const MOST_ITEMS = 100
const LONGEST_TITLE = 300

/** Parses a note leniently: problems are reported and the rest still counts. */
export const parseNote = (text: string, place: NotePlace, writtenMs: number): ParsedNote => {
  const { head, bodyStart, fault } = splitFrontMatter(text)
  const reading: FieldsReading = head === undefined ? { fields: new Map() } : readFields(head.text)
  const problems = [fault, reading.fault].filter((problem) => problem !== undefined)
  const take = <T>(name: string, read: (value: FieldValue) => T | undefined, expected: string) => {
    const value = reading.fields.get(name)
    if (value === undefined || value === '') return undefined
    const taken = read(value)
    if (taken === undefined) problems.push(`${name} should be ${expected}`)
    return taken
  }
  const written = new Date(writtenMs).toISOString()
  const body = text.slice(bodyStart)
  const created = take('created', readTime, 'a date')
  const source = take('source', readText, 'one line of text')
  const links = linksOf(body, place, take('related', readList, 'a list of notes') ?? [])
  return {
    title:
      take('title', readText, 'one line of text')?.slice(0, LONGEST_TITLE) ??
      headingOf(body) ??
      place.slug.replaceAll('-', ' ').trim(),
    type: take('type', readText, 'one word') ?? TYPE_OF_DOMAIN[place.domain],
    quality: take('quality', readQuality, 'a number from 1 to 10') ?? DEFAULT_QUALITY,
    tags: take('tags', readTags, 'a list of words') ?? [],
    created: created ?? take('updated', readTime, 'a date') ?? written,
    updated: take('updated', readTime, 'a date') ?? created ?? written,
    aliases: take('aliases', readList, 'a list of names') ?? [],
    ...(source === undefined ? {} : { source }),
    targets: [...new Set(links.map(({ target }) => target))],
    linkTypes: Object.fromEntries(
      links.flatMap(({ target, type }) => (type === undefined ? [] : [[target, type]])),
    ),
    hasFrontmatter: head !== undefined,
    problems: [...new Set(problems)],
  }
}

export const headingOf = (body: string): string | undefined =>
  body
    .slice(0, 16 * 1024)
    .split('\n')
    .map(readHeading)
    .find((heading) => heading?.level === 1 && heading.title !== '')
    ?.title.slice(0, LONGEST_TITLE)

const readText = (value: FieldValue): string | undefined =>
  typeof value === 'string' ? value.replaceAll(/\s+/g, ' ').trim() || undefined : undefined

const readTime = (value: FieldValue): string | undefined =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : undefined

const readQuality = (value: FieldValue): number | undefined => {
  const quality = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
  // Other tools count from 0; the worst note stays the worst.
  return quality >= 0 && quality <= 10 ? Math.max(1, quality) : undefined
}

const readList = (value: FieldValue): string[] | undefined => {
  if (value === null) return undefined
  const items = typeof value === 'string' ? splitItems(value) : value
  return items
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .slice(0, MOST_ITEMS)
}

/** Splits `a, b` on one line, but not at a comma within a link. */
const splitItems = (text: string): string[] => (text.includes('[[') ? [text] : text.split(','))

const readTags = (value: FieldValue): string[] | undefined => {
  const items = typeof value === 'string' ? value.split(/[,\s]+/) : readList(value)
  const byName = new Map<string, string>()
  for (const item of items ?? []) {
    const tag = item.trim().replace(/^#+/, '').normalize('NFC')
    if (tag !== '' && !byName.has(tag.toLowerCase())) byName.set(tag.toLowerCase(), tag)
  }
  return items === undefined ? undefined : [...byName.values()].slice(0, MOST_ITEMS)
}

type Link = Pick<NoteLink, 'target' | 'type'>

const linksOf = (body: string, { domain }: NotePlace, related: readonly string[]): Link[] => {
  const found: Link[] = findLinks(body, domain)
  for (const item of related) {
    const links = findLinks(item, domain)
    found.push(...(links.length > 0 ? links : [{ target: item }]))
  }
  return found
}
