import type { Judgement } from '@steward/contract'
import { literalDirectory } from '../paths/literal-directory.ts'
import { isUnresolved, MARK, showMarked } from '../shell/marks.ts'
import type { PathEffect } from './reach.ts'
import { BUILTIN } from './verdicts.ts'

interface Place {
  cwd: string
  home: string
}

/** Directories with generated content, which is safe to delete. */
const ARTEFACTS =
  /\/(node_modules|dist|build|out|target|coverage|\.?cache|caches|_cacache|_npx|__pycache__|\.next|\.nuxt|\.turbo|\.venv|venv|tmp|temp|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.parcel-cache|deriveddata|\.gradle|\.tox|\.trash|trash)(\/|$)/i
/** A backup that an upgrade left behind: `~/.steward-old`. */
const LEFTOVER = /^\/\.[\w.-]+[-._](old|bak)(\/|$)/i
const TEMPORARY = /^(\/tmp|\/var\/tmp|\/var\/folders|\/dev\/shm)\/[^/]/

/**
 * Checks that apply regardless of the policy file: deletions that are too broad, and paths that are
 * unknown before the command runs.
 */
export const judgeBreadth = (effect: PathEffect, place: Place): Judgement | undefined => {
  if (isUnresolved(effect.path)) return judgeUnknown(effect, place)
  if (effect.kind === 'write') return judgeReplaced(effect, place)
  if (effect.kind !== 'delete') return undefined
  const shown = showMarked(effect.path)
  const all = new RegExp(`/[${MARK.star}${MARK.deep}]$`)
  const covers = effect.path.replace(all, '') || '/'
  const isAll = covers !== effect.path
  const isMany = effect.path.includes(MARK.deep)
  const say: Say = (verdict, rule, reason) => ({
    verdict,
    rule: `builtin:${rule}`,
    reason,
    part: effect.part,
    tier: BUILTIN,
    effect: 'delete',
    path: shown,
  })
  const isWide = effect.recursive || isMany || (isAll && isWithin(place.cwd, covers))
  if (!isWide) return effect.gentle ? undefined : judgeOne(effect, place, say)
  if (covers === '/' || isWithin(place.home, covers)) {
    const what =
      covers === place.home ? 'your home directory' : 'everything, your home directory too'
    return say('deny', 'delete-all', `deletes ${shown}: ${what}`)
  }
  if (effect.gentle) return undefined
  if (covers !== place.cwd && isWithin(place.cwd, covers)) {
    return say('deny', 'delete-around', `deletes ${shown}, which the working directory is in`)
  }
  if (covers === place.cwd)
    return say('ask', 'delete-here', 'deletes everything in the working directory')
  if (isOwn(effect.path, place)) return undefined
  if (/^\/[^/]+$/.test(covers))
    return say('deny', 'delete-top', `deletes ${shown}, a directory of the system`)
  if (isDisposable(effect.path, place)) return undefined
  return say('ask', 'delete-outside', `deletes ${shown}, outside the working directory`)
}

/**
 * In the working directory or a temporary one. If the working directory is the home directory,
 * everything else is there too, so it does not count.
 */
const isOwn = (path: string, place: Place): boolean =>
  (isWithin(path, place.cwd) && place.cwd !== place.home) || isTemporary(path, place)

const isDisposable = (path: string, { home }: Place): boolean =>
  ARTEFACTS.test(path.slice(home.length)) ||
  (isWithin(path, home) && LEFTOVER.test(path.slice(home.length)))

type Say = (verdict: 'ask' | 'deny', rule: string, reason: string) => Judgement

/** A single file outside the working directory may be the only copy. */
const judgeOne = ({ path }: PathEffect, place: Place, say: Say): Judgement | undefined => {
  if (isOwn(path, place) || isDisposable(path, place) || /^\/(dev|proc)\//.test(path))
    return undefined
  return say('ask', 'delete-outside', `deletes ${showMarked(path)}, outside the working directory`)
}

/** Replacing a file loses its content just as deleting it does. */
const judgeReplaced = (effect: PathEffect, place: Place): Judgement | undefined => {
  const { path } = effect
  if (!effect.replaces || isOwn(path, place) || isDisposable(path, place)) return undefined
  if (/^\/(dev|proc)\//.test(path)) return undefined
  return {
    verdict: 'ask',
    rule: 'builtin:overwrite-outside',
    reason: `overwrites ${showMarked(path)}, outside the working directory`,
    part: effect.part,
    tier: BUILTIN,
    effect: 'write',
    path: showMarked(path),
  }
}

/**
 * In a temporary directory, but neither in the home directory nor beside the working directory,
 * where other projects may be.
 */
const isTemporary = (path: string, { cwd, home }: Place): boolean => {
  if (!TEMPORARY.test(path) || isWithin(path, home)) return false
  const around = cwd.slice(0, cwd.lastIndexOf('/'))
  return !(TEMPORARY.test(around) && isWithin(path, around))
}

const judgeUnknown = (effect: PathEffect, place: Place): Judgement | undefined => {
  if (effect.mention) return undefined
  const directory = literalDirectory(effect.path).replace(/\/$/, '')
  const isInside =
    directory !== '' && (isWithin(directory, place.cwd) || isTemporary(`${directory}/x`, place))
  const isWide = effect.kind === 'delete' && effect.recursive && directory === place.cwd
  if (isInside && !isWide) return undefined
  // The directory is known, so the path tiers have judged it already.
  if (directory !== '' && effect.kind !== 'delete') return undefined
  const isHidden = effect.path.includes(MARK.decoded)
  // Reading a path from a variable or creating a new file is too common to report.
  if (!isHidden && (effect.kind === 'read' || effect.gentle)) return undefined
  return {
    verdict: isHidden || effect.kind === 'delete' ? 'ask' : 'alert',
    rule: 'builtin:unresolved',
    reason: `which path it ${effect.kind}s is known only when it runs (${showMarked(effect.path)})`,
    part: effect.part,
    tier: BUILTIN,
    effect: effect.kind,
    path: showMarked(effect.path),
  }
}

const isWithin = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`)
