import {
  KNOWLEDGE_DOMAINS,
  type KnowledgeDomain,
  nearestHint,
  parseKnowledgeDomain,
  StewardError,
  unwrap,
} from '@steward/contract'
import {
  type ArchivePlace,
  archiveAt,
  type IndexedNote,
  type LoadedArchive,
  loadArchive,
  parseKey,
} from '@steward/knowledge'
import { ensureHome, type Home, resolveHome } from '@steward/platform'
import { InvalidArgumentError } from 'commander'
import type { Io } from '../../io.ts'

export interface OpenKnowledge {
  home: Home
  archive: ArchivePlace
  loaded: LoadedArchive
}

/** The archive of this data home, read completely; no daemon is needed. */
export const openKnowledge = async (io: Io): Promise<OpenKnowledge> => {
  const home = unwrap(await ensureHome(resolveHome(io.env, io.homedir)))
  const archive = archiveAt(home)
  const loaded = loadArchive(archive.root)
  await loaded.refresh()
  return { home: home, archive, loaded }
}

/** Finds a note: `Ideas/slug`, a slug, an alias or a title. */
export const findNote = ({ index }: LoadedArchive, word: string): IndexedNote => {
  const place = parseKey(word)
  const found =
    place === undefined ? index.resolve(word, 'People') : index.get(`${place.domain}/${place.slug}`)
  if (found !== undefined) return found
  const hint = nearestHint(
    word,
    index.notes().map(({ slug }) => slug),
  )
  throw new StewardError('not_found', { what: 'note', name: word, hint })
}

export const parseDomainOption = (word: string): KnowledgeDomain => {
  const domain = parseKnowledgeDomain(word)
  if (domain !== undefined) return domain
  throw new InvalidArgumentError(
    `${word} is not a domain${nearestHint(word, KNOWLEDGE_DOMAINS)}; there are ${KNOWLEDGE_DOMAINS.join(', ')}`,
  )
}

/** `a, b` as a list. */
export const parseTagsOption = (text: string): string[] =>
  text
    .split(',')
    .map((tag) => tag.trim().replace(/^#/, ''))
    .filter((tag) => tag !== '')
