import { sha256Hex } from './sha256.ts'

export interface Identifiable {
  guid: string | null
  link: string | null
  title: string | null
  content: string | null
}

/**
 * One id per item, unique within the feed and stable across polls; never derived from a date. The
 * guid, or guid and link if the feed repeats the guid. Without a guid the link, or link plus a hash
 * of title and content if the link repeats. With neither, that hash. Items that are still equal are
 * numbered from the feed's end, because new ones appear at its top.
 */
export const identifyItems = (items: readonly Identifiable[]): string[] => {
  const first = items.map((item) => item.guid ?? item.link ?? hashOf(item))
  const repeated = repeatedOf(first)
  const second = items.map((item, index) => {
    const id = first[index] ?? ''
    if (!repeated.has(id)) return id
    if (item.guid !== null) return item.link === null ? id : `${id} ${item.link}`
    return `${id} ${hashOf(item)}`
  })
  return numberRepeated(second, first)
}

const hashOf = ({ title, content }: Identifiable): string =>
  `sha256:${sha256Hex(`${title ?? ''}\n${content ?? ''}`)}`

const repeatedOf = (ids: readonly string[]): Set<string> => {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const id of ids) (seen.has(id) ? repeated : seen).add(id)
  return repeated
}

const numberRepeated = (ids: readonly string[], bare: readonly string[]): string[] => {
  const repeated = repeatedOf(ids)
  if (repeated.size === 0) return [...ids]
  const taken = new Set(ids)
  const counts = new Map<string, number>()
  const numbered = [...ids]
  for (let index = ids.length - 1; index >= 0; index--) {
    const id = ids[index] ?? ''
    if (!repeated.has(id)) continue
    const stem = bare[index] ?? id
    let count = counts.get(stem) ?? 0
    do count++
    while (taken.has(`${stem} #${count}`))
    counts.set(stem, count)
    taken.add(`${stem} #${count}`)
    numbered[index] = `${stem} #${count}`
  }
  return numbered
}
