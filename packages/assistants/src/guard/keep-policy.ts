import { readFileSync } from 'node:fs'
import { reasonOf } from '@steward/contract'
import type { Home } from '@steward/platform'
import { openDefaultPolicy, openPolicy } from '@steward/policy'
import { describeBroken, MISSING, type PolicyState, policyPath, stampOf } from './policy-state.ts'
import { protectedPaths } from './protected-paths.ts'

/**
 * The policy of the data home for a long-running process: checked before every judgement, reread
 * only if the file changed.
 */
export const keepPolicy = (
  home: Pick<Home, 'root' | 'user' | 'databases' | 'stateDir'>,
  homedir: string,
): (() => PolicyState) => {
  const path = policyPath(home)
  const place = { home: homedir, dataHome: home.root, protectedPaths: protectedPaths(home) }
  let known: { stamp: string | undefined; state: PolicyState } | undefined

  const open = (stamp: string | undefined): PolicyState => {
    if (stamp === undefined) return { policy: openDefaultPolicy(place), problem: MISSING }
    const broken = (reason: string): PolicyState => ({
      policy: openDefaultPolicy(place),
      problem: describeBroken(reason),
    })
    try {
      const opened = openPolicy({ ...place, text: readFileSync(path, 'utf8') })
      return opened.ok ? { policy: opened.value } : broken(opened.error.message)
    } catch (thrown) {
      return broken(reasonOf(thrown))
    }
  }

  return () => {
    const stamp = stampNow(path)
    if (known === undefined || known.stamp !== stamp) known = { stamp, state: open(stamp) }
    return known.state
  }
}

/** A policy that is not saved, to judge with it. */
export const openDraftPolicy = (
  home: Pick<Home, 'root' | 'user' | 'databases' | 'stateDir'>,
  homedir: string,
  text: string,
): PolicyState => {
  const place = { home: homedir, dataHome: home.root, protectedPaths: protectedPaths(home) }
  const opened = openPolicy({ ...place, text })
  if (!opened.ok) throw opened.error
  return { policy: opened.value }
}

/** An unreadable folder does not mean that the file is missing. */
const stampNow = (path: string): string | undefined => {
  try {
    return stampOf(path)
  } catch (thrown) {
    return reasonOf(thrown)
  }
}
