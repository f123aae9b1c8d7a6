import type { PathPattern } from '../paths/compile-path.ts'
import { literalDirectory } from '../paths/literal-directory.ts'
import { liesBelow, matchesPath, namesPath } from '../paths/match-path.ts'
import { type PathTarget, targetOf } from '../paths/path-target.ts'
import type { Effect } from '../shell/effects.ts'
import { isUnresolved, MARK } from '../shell/marks.ts'

export type PathEffect = Extract<Effect, { kind: 'read' | 'write' | 'delete' }>

/** One path in the forms that rules are held against. */
export interface PathViews {
  whole: PathTarget
  /** What it lies in for certain, if anything. */
  directory: PathTarget | undefined
  named: PathTarget
}

export const viewsOf = (path: string): PathViews => {
  const directory = literalDirectory(path)
  return {
    whole: targetOf(path),
    directory: directory === '' ? undefined : targetOf(directory.replace(/\/$/, '')),
    // A value without a slash is no name that anyone protects.
    named: targetOf(path.replaceAll(MARK.segment, 'x')),
  }
}

const MARKS = /[\uE000-\uE008]/
const ALL_MARKS = /[\uE000-\uE008]/g

export type Reach = 'sure' | 'around' | 'maybe' | 'no'

/** Whether the effect reaches what the rule protects: surely, by going through a place far above it, or perhaps. */
export const reachOf = (effect: PathEffect, views: PathViews, pattern: PathPattern): Reach => {
  const { path } = effect
  const { whole } = views
  if (pattern.root === '') return reachOfFloating(path, views, pattern)
  const isMaybe = isUnresolved(path)
  if (isMaybe && literalDirectory(path) === '') {
    return hasSpecificName(path, pattern.name) && !effect.mention && matchesPath(pattern, whole)
      ? 'maybe'
      : 'no'
  }
  // Files of some name anywhere below are those that the rule names, not all that lie in what it protects.
  const isInside = views.directory !== undefined && matchesPath(pattern, views.directory)
  if (!isInside && isNamedDeep(path) && !(sharesEnding(path, pattern) && namesPath(pattern, whole)))
    return 'no'
  if (matchesPath(pattern, whole)) {
    if (!isMaybe) return path.endsWith(MARK.deep) && effect.kind === 'read' ? 'around' : 'sure'
    const isNear = `${pattern.root}/`.startsWith(`${literalDirectory(path).toLowerCase()}`)
    return effect.mention && !isNear ? 'no' : 'maybe'
  }
  if (!effect.recursive || !liesBelow(pattern, whole)) return 'no'
  if (isMaybe) return 'maybe'
  const isDirect =
    whole.lower === pattern.root ||
    (`${pattern.root}/`.startsWith(path === '/' ? '/' : `${whole.lower}/`) &&
      effect.kind !== 'read')
  return isDirect ? 'sure' : 'around'
}

/** A rule for a name that may be anywhere speaks only about paths that name something. */
const reachOfFloating = (path: string, views: PathViews, pattern: PathPattern): Reach => {
  if (views.whole.isPlain) return matchesPath(pattern, views.whole) ? 'sure' : 'no'
  if (views.directory !== undefined && matchesPath(pattern, views.directory)) return 'sure'
  if (!sharesEnding(path, pattern) || !hasSpecificName(path, pattern.name)) return 'no'
  if (!namesPath(pattern, views.named)) return 'no'
  return isUnresolved(path) ? 'maybe' : 'sure'
}

const isNamedDeep = (path: string): boolean => {
  const last = path.split('/').at(-1) ?? ''
  return path.includes(MARK.deep) && last.replace(ALL_MARKS, '') !== ''
}

/** `*.kdbx` speaks about `a*.kdbx` and `*.kd*`, not about every name that may go on with a star. */
const sharesEnding = (path: string, { isSuffix, name, endsOpen }: PathPattern): boolean => {
  const last = (path.split('/').at(-1) ?? '').toLowerCase()
  const ending = last.split(MARKS).at(-1) ?? ''
  // `*.pyc` and `id_*` have names in common, but nobody means those.
  if (endsOpen && ending !== '' && ending !== last) return false
  if (!isSuffix) return true
  return ending === '' ? last.includes(name.slice(0, 3)) : ending.endsWith(name)
}

const hasSpecificName = (path: string, wanted: string): boolean => {
  const last = path.split('/').at(-1) ?? ''
  const literal = last.replace(/[\uE000-\uE008]/g, '').toLowerCase()
  const stem = literal.replace(/\.[a-z0-9]+$/, '')
  return (
    stem !== '' ||
    (literal !== '' &&
      (literal === wanted || (literal.startsWith('.') && !/^[\uE000-\uE008]/.test(last))))
  )
}
