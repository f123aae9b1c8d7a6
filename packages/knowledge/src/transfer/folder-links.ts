import { posix } from 'node:path'
import { decodePercent } from '@steward/platform'
import { maskCode } from '../notes/links/mask-code.ts'
import { keyOf, type NotePlace } from '../notes/note-place.ts'
import { foldName } from '../notes/slugify.ts'
import { baseNameOf, type FolderNote } from './folder-note.ts'

type LinkTarget = (
  | { kind: 'note'; place: NotePlace; path: string }
  | { kind: 'attachment'; path: string }
) & {
  /** All files that the name fits, if there are several; the chosen one is the first. */
  candidates?: readonly string[]
}

/** Finds what a link in a note of the folder leads to. */
export type ResolveLink = (target: string, from: string) => LinkTarget | 'outside' | undefined

export interface LinkedText {
  text: string
  /** Paths of linked files that are not notes. */
  attachments: string[]
  /** Targets that do not exist in the folder. */
  broken: string[]
  /** Targets that lead out of the folder; they are never read. */
  outside: string[]
  /** Names that fit several files. */
  ambiguous: AmbiguousLink[]
}

export interface AmbiguousLink {
  target: string
  /** Their paths; the link leads to the first. */
  candidates: readonly string[]
}

/**
 * Looks up links as Obsidian does: by path from the note, by path from the folder, then by name
 * anywhere, preferring the shortest path. Names are compared without case.
 */
export const createLinkResolver = (
  notes: ReadonlyMap<string, { note: FolderNote; place: NotePlace }>,
  attachments: readonly string[],
): ResolveLink => {
  const byPath = new Map<string, LinkTarget>()
  const byFileName = new Map<string, LinkTarget[]>()
  const byTitle = new Map<string, LinkTarget[]>()
  const byAttachment = new Map<string, LinkTarget[]>()
  const shortestFirst = (a: string, b: string) => a.length - b.length || (a < b ? -1 : 1)
  for (const path of [...notes.keys()].toSorted(shortestFirst)) {
    const known = notes.get(path)
    if (known === undefined) continue
    const target: LinkTarget = { kind: 'note', place: known.place, path }
    byPath.set(foldName(path), target)
    byPath.set(foldName(path.replace(/\.(?:md|markdown)$/i, '')), target)
    addTo(byFileName, [baseNameOf(path)], target)
    addTo(byTitle, [known.note.title, ...known.note.aliases].filter(isText), target)
  }
  for (const path of attachments.toSorted(shortestFirst)) {
    const target: LinkTarget = { kind: 'attachment', path }
    byPath.set(foldName(path), target)
    addTo(byAttachment, [path.split('/').at(-1) ?? path], target)
  }
  const namesakes = (name: string): readonly LinkTarget[] =>
    byFileName.get(name) ?? byTitle.get(name) ?? byAttachment.get(name) ?? []
  return (target, from) => {
    const wanted = target.trim().replaceAll('\\', '/')
    if (/^(?:\/|~|[a-z]:\/|file:)/i.test(wanted)) return 'outside'
    const near = posix.normalize(posix.join(posix.dirname(from), wanted))
    const beside = byPath.get(foldName(near))
    if (beside !== undefined) return beside
    const named = namesakes(foldName(wanted))
    const found = byPath.get(foldName(posix.normalize(wanted))) ?? named[0]
    if (found !== undefined) return withCandidates(found, named)
    return near === '..' || near.startsWith('../') ? 'outside' : undefined
  }
}

const addTo = (
  targets: Map<string, LinkTarget[]>,
  names: readonly string[],
  target: LinkTarget,
): void => {
  for (const name of new Set(names.map(foldName))) {
    const known = targets.get(name)
    if (known === undefined) targets.set(name, [target])
    else known.push(target)
  }
}

const withCandidates = (found: LinkTarget, named: readonly LinkTarget[]): LinkTarget => {
  const others = named.filter(({ path }) => path !== found.path)
  if (others.length === 0) return found
  return { ...found, candidates: [found.path, ...others.map(({ path }) => path)] }
}

const isText = (name: string | undefined): name is string => name !== undefined && name !== ''

const LINK =
  /(!?)\[\[([^[\]\n|#]{0,300})(#[^[\]\n|]{0,300})?(?:\|([^[\]\n]{0,300}))?\]\]|(!?)\[([^[\]\n]{0,500})\]\([ \t]*(?:<([^<>\n]{1,500})>|([^\s()<>]{1,500}))((?:[ \t]+"[^"\n]{0,300}")?)[ \t]*\)/g

/** Where attachments are, seen from a note in its domain's folder. */
export const ATTACHMENTS = '_attachments'

/** Rewrites the links of a note so that they lead to the same notes and files in the archive. */
export const rewriteLinks = (
  text: string,
  from: { path: string; place: NotePlace; headEnd: number; folder: string },
  resolve: ResolveLink,
): LinkedText => {
  const linked: LinkedText = { text: '', attachments: [], broken: [], outside: [], ambiguous: [] }
  const masked = maskCode(text)
  let at = 0
  for (const match of masked.matchAll(LINK)) {
    const written = rewriteOne(match, match.index < from.headEnd, from, resolve, linked)
    if (written === undefined) continue
    linked.text += text.slice(at, match.index) + written
    at = match.index + match[0].length
  }
  linked.text += text.slice(at)
  return linked
}

const rewriteOne = (
  match: RegExpExecArray,
  isInHead: boolean,
  from: { path: string; place: NotePlace; folder: string },
  resolve: ResolveLink,
  linked: LinkedText,
): string | undefined => {
  const [
    ,
    embed = '',
    name,
    anchor = '',
    label,
    image = '',
    words = '',
    quoted,
    plain,
    title = '',
  ] = match
  const isWiki = name !== undefined
  const [address = '', fragment] = isWiki ? [name] : splitAddress(quoted ?? plain ?? '')
  const target = isWiki ? name : decodePercent(address)
  if (target.trim() === '' || (!isWiki && /^[a-z][a-z\d+.-]+:/i.test(address) && !isFile(address)))
    return undefined
  const found = resolve(target, from.path)
  if (found === 'outside') linked.outside.push(target)
  else if (found === undefined) linked.broken.push(target)
  if (found === undefined || found === 'outside') return undefined
  if (found.candidates !== undefined) {
    linked.ambiguous.push({ target, candidates: found.candidates })
  }
  if (found.kind === 'attachment') {
    linked.attachments.push(found.path)
    // Obsidian writes the width of an image in the place of a label.
    const caption = label !== undefined && /^\d+(?:x\d+)?$/.test(label) ? undefined : label
    const shown = isWiki ? (caption ?? found.path.split('/').at(-1) ?? '') : words
    const path = encodePath(`../${ATTACHMENTS}/${from.folder}/${found.path}`)
    const bang = isWiki ? embed : image
    return `${bang}[${shown}](${path}${fragment ?? ''}${title})`
  }
  const { place } = found
  if (!isWiki) {
    const path = place.domain === from.place.domain ? `${place.slug}.md` : `../${keyOf(place)}.md`
    return `${image}[${words}](${path}${fragment ?? ''}${title})`
  }
  const key = place.domain === from.place.domain ? place.slug : keyOf(place)
  const shown = label ?? (isInHead || name.trim() === place.slug ? undefined : name.trim())
  return `${embed}[[${key}${anchor}${shown === undefined ? '' : `|${shown}`}]]`
}

const isFile = (address: string): boolean => /^(?:file|[a-z]):/i.test(address)

const splitAddress = (address: string): [string, string | undefined] => {
  const at = address.indexOf('#')
  return at === -1 ? [address, undefined] : [address.slice(0, at), address.slice(at)]
}

const encodePath = (path: string): string =>
  path.split('/').map(encodeURIComponent).join('/').replaceAll('(', '%28').replaceAll(')', '%29')
