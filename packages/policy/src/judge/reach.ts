import type { PathPattern } from '../paths/compile-path.ts'
import { literalDirectory } from '../paths/literal-directory.ts'
import { liesBelow, matchesPath, namesPath } from '../paths/match-path.ts'
import { type PathTarget, targetOf } from '../paths/path-target.ts'
import type { Effect } from '../shell/effects.ts'
import { isUnresolved, MARK } from '../shell/marks.ts'

export type PathEffect = Extract<Effect, { kind: 'read' | 'write' | 'delete' }>

/** One path in the forms that rules are matched against. */
export interface PathViews {
  whole: PathTarget
  /** The known directory that contains it, if any. */
  directory: PathTarget | undefined
  named: PathTarget
}

export const viewsOf = (path: string): PathViews => {
  const directory = literalDirectory(path)
  return {
    whole: targetOf(path),
    directory: directory === '' ? undefined : targetOf(directory.replace(/\/$/, '')),
    // An unknown value without a slash is not a name that a rule protects.
    named: targetOf(path.replaceAll(MARK.segment, 'x')),
  }
}

const MARKS = /[\uE000-\uE008]/
const ALL_MARKS = /[\uE000-\uE008]/g

export type Reach = 'sure' | 'around' | 'maybe' | 'no'

/**
 * Returns whether the effect reaches a protected path: certainly, through a distant parent
 * directory, or possibly.
 */
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
  // A search for files of some name reaches the files that the rule names, not all files in a
  // protected directory.
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

/** A rule for a name in any directory applies only to paths with a known name. */
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

/** `*.kdbx` applies to `a*.kdbx` and `*.kd*`, but not to every name that ends in a star. */
const sharesEnding = (path: string, { isSuffix, name, endsOpen }: PathPattern): boolean => {
  const last = (path.split('/').at(-1) ?? '').toLowerCase()
  const ending = last.split(MARKS).at(-1) ?? ''
  // `*.pyc` and `id_*` overlap in theory, but no real file is meant by both.
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
