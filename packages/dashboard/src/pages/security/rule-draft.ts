import type { PolicyEdit } from '@steward/contract'
import type { RuleEntry, RuleGroup, RulePlace } from './rule-groups.ts'

type Known = Pick<RuleEntry, 'text' | 'reason' | 'index'>

/** A rule being edited, and what its writer saw at the start. */
export interface RuleDraft {
  place: RulePlace
  /** The edited entry; undefined for a new one. */
  original?: Known
  /** The texts of the list at that time. */
  seen: readonly string[]
  /** The file's revision at that time. */
  revision: string
  text: string
  reason: string
  shadow: boolean
}

export const startDraft = (group: RuleGroup, revision: string, entry?: RuleEntry): RuleDraft => {
  const { entries, ...place } = group
  return {
    place,
    ...(entry === undefined ? {} : { original: entry }),
    seen: entries.map(({ text }) => text),
    revision,
    text: entry?.text ?? '',
    reason: entry?.reason ?? '',
    shadow: false,
  }
}

/** The other writer's version. `theirs` is undefined if the entry was removed. */
export interface Rival {
  theirs?: Known
}

/**
 * Another writer's change to the entry of a draft. Undefined if they changed something else: then
 * the draft can be saved into their version unchanged.
 */
export const findRival = (draft: RuleDraft, entries: readonly Known[]): Rival | undefined => {
  const { original } = draft
  if (original === undefined) {
    const same = entries.find(({ text }) => text === draft.text)
    return same === undefined ? undefined : { theirs: same }
  }
  const kept = entries.find(({ text }) => text === original.text)
  if (kept !== undefined) return kept.reason === original.reason ? undefined : { theirs: kept }
  const there = entries[original.index]
  return there === undefined || draft.seen.includes(there.text) ? {} : { theirs: there }
}

/** The draft rebased on the current file: over `theirs`, or as a new entry if it was removed. */
export const rebaseDraft = (
  draft: RuleDraft,
  { entries }: RuleGroup,
  revision: string,
  theirs?: Known,
): RuleDraft => {
  const { original, ...rest } = draft
  const over = theirs ?? entries.find(({ text }) => text === original?.text)
  return {
    ...rest,
    revision,
    seen: entries.map(({ text }) => text),
    ...(over === undefined ? {} : { original: over }),
  }
}

export const toEdit = ({
  place,
  original,
  revision,
  text,
  reason,
  shadow,
}: RuleDraft): PolicyEdit => {
  if (place.kind === 'pattern') {
    const { section } = place
    return original === undefined
      ? { action: 'add_pattern', section, pattern: text, reason, shadow, revision }
      : {
          action: 'edit_pattern',
          section,
          index: original.index,
          pattern: text,
          reason,
          revision,
        }
  }
  const { tier } = place
  return original === undefined
    ? { action: 'add_path', tier, path: text, revision }
    : { action: 'edit_path', tier, index: original.index, path: text, revision }
}

/** Removes an entry, identified by its text, because another one may have moved to its index. */
export const toRemoval = (place: RulePlace, text: string): PolicyEdit =>
  place.kind === 'pattern'
    ? { action: 'remove_pattern', section: place.section, pattern: text }
    : { action: 'remove_path', tier: place.tier, path: text }

/** A refusal shown at its field does not need to name the field. */
export const sayAtField = (message: string): string =>
  message.replace(/^the (?:body|change): (?:(?:pattern|path|reason): )?/, '')
