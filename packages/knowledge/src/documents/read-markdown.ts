import { readFields } from '../notes/frontmatter/read-fields.ts'
import type { FieldValue } from '../notes/frontmatter/read-simple.ts'
import { splitNote } from '../notes/frontmatter/split-note.ts'
import type { Draft, ReadDrafts } from './wiki-source.ts'

const MARKDOWN = /\.(?:md|markdown)$/i
const MOST_ITEMS = 100

export const isMarkdown = (relative: string): boolean => MARKDOWN.test(relative)

/** A Markdown file is a document; its frontmatter may name it (`title` or `name`) and say what it is for. */
export const readMarkdown: ReadDrafts = (text, relative) => [
  { path: relative.replace(MARKDOWN, ''), ...readText(text) },
]

/** A skill's folder is named by its `SKILL.md`; what lies beside that belongs to it. */
export const readSkill: ReadDrafts = (text, relative) => [
  { path: relative.replace(/\/SKILL\.md$/i, '').replace(MARKDOWN, ''), ...readText(text) },
]

const readText = (text: string): Omit<Draft, 'path'> => {
  const { head, bodyStart } = splitNote(text)
  const fields = head === undefined ? new Map<string, FieldValue>() : readFields(head.text).fields
  const title = lineOf(fields.get('title')) ?? lineOf(fields.get('name'))
  const summary = lineOf(fields.get('description'))
  return {
    markdown: text.slice(bodyStart),
    ...(title === undefined ? {} : { title }),
    ...(summary === undefined ? {} : { summary }),
    tags: listOf(fields.get('tags')).map((tag) => tag.replace(/^#+/, '')),
    related: listOf(fields.get('related')).map((name) => name.replaceAll(/^\[\[|\]\]$/g, '')),
  }
}

const lineOf = (value: FieldValue | undefined): string | undefined =>
  typeof value === 'string' ? value.replaceAll(/\s+/g, ' ').trim() || undefined : undefined

const listOf = (value: FieldValue | undefined): string[] => {
  if (value === undefined || value === null) return []
  const items = typeof value === 'string' ? value.split(',') : value
  return items
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .slice(0, MOST_ITEMS)
}
