import type { Judgement } from '@steward/contract'
import { literalDirectory } from '../paths/literal-directory.ts'
import { isUnresolved, MARK, showMarked } from '../shell/marks.ts'
import type { PathEffect } from './reach.ts'
import { BUILTIN } from './verdicts.ts'

interface Place {
  cwd: string
  home: string
}

/** Directories that are made to be thrown away. */
const ARTEFACTS =
  /\/(node_modules|dist|build|out|target|coverage|\.?cache|caches|_cacache|_npx|__pycache__|\.next|\.nuxt|\.turbo|\.venv|venv|tmp|temp|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.parcel-cache|deriveddata|\.gradle|\.tox|\.trash|trash)(\/|$)/i
/** What a program left behind of itself when it was replaced: `~/.steward-old`. */
const LEFTOVER = /^\/\.[\w.-]+[-._](old|bak)(\/|$)/i
const TEMPORARY = /^(\/tmp|\/var\/tmp|\/var\/folders|\/dev\/shm)\/[^/]/

/** What holds whatever the policy file says: deletions that are too wide, and paths that nobody knows yet. */
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

/** In the working directory or a temporary one. Who works in the home directory itself has everything else there too. */
const isOwn = (path: string, place: Place): boolean =>
  (isWithin(path, place.cwd) && place.cwd !== place.home) || isTemporary(path, place)

const isDisposable = (path: string, { home }: Place): boolean =>
  ARTEFACTS.test(path.slice(home.length)) ||
  (isWithin(path, home) && LEFTOVER.test(path.slice(home.length)))

type Say = (verdict: 'ask' | 'deny', rule: string, reason: string) => Judgement

/** A single file outside the work may be the only copy. */
const judgeOne = ({ path }: PathEffect, place: Place, say: Say): Judgement | undefined => {
  if (isOwn(path, place) || isDisposable(path, place) || /^\/(dev|proc)\//.test(path))
    return undefined
  return say('ask', 'delete-outside', `deletes ${showMarked(path)}, outside the working directory`)
}

/** Putting something in the place of what was there loses it as a deletion does. */
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

/** Made to be thrown away, unless the home is there too, or the directory that the work is in beside others. */
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
  // Somewhere else, but in a known place: the tiers have spoken about it.
  if (directory !== '' && effect.kind !== 'delete') return undefined
  const isHidden = effect.path.includes(MARK.decoded)
  // Reading by a variable, or making something new, is everyday work: nothing to be told about.
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
