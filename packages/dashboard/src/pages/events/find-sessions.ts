import type { SessionSummary } from '@steward/contract'
import { daemon } from '../../live/daemon.ts'
import { nameOfHost } from '../../ui/host-name.ts'

const SHOWN = 8
/** Shorter beginnings of an assistant's name are words of a title. */
const LEAST_LETTERS = 3

/** Separates the assistant from the words that are searched in titles, projects and answers. */
export const splitQuery = (
  typed: string,
  hosts: readonly string[],
): { host?: string; q?: string } => {
  const isOf = (host: string, word: string): boolean =>
    word.length >= LEAST_LETTERS && nameOfHost(host).toLowerCase().startsWith(word.toLowerCase())
  const words = typed.split(/\s+/).filter(Boolean)
  const host = hosts.find((each) => words.some((word) => isOf(each, word)))
  const q = words.filter((word) => host === undefined || !isOf(host, word)).join(' ')
  return { ...(host === undefined ? {} : { host }), ...(q === '' ? {} : { q }) }
}

/** The last active sessions that fit, searched by the daemon in the whole history. */
export const findSessions = async (
  typed: string,
  hosts: readonly string[],
): Promise<{ sessions: readonly SessionSummary[]; hosts: readonly string[] }> => {
  const find = (query: { host?: string; q?: string }) =>
    daemon.call('listSessions', { query: { ...query, limit: SHOWN } })
  const split = splitQuery(typed, hosts)
  const page = await find(split)
  // A title may contain the name of an assistant.
  if (page.sessions.length > 0 || split.host === undefined) return page
  return find({ q: typed.trim() })
}
