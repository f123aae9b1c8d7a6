import { onChange, sawDaemon } from './connection.svelte.ts'
import { daemon } from './daemon.ts'
import { toProblem } from './problem.ts'
import { tellProblem } from './tell.svelte.ts'
import { whileVisible } from './while-visible.ts'

let signedIn = $state<boolean>()

/** Whether this browser may change things; undefined until the daemon answered. */
export const isSignedIn = (): boolean | undefined => signedIn

const ask = async (): Promise<void> => {
  try {
    const answer = await daemon.call('getAuth')
    signedIn = answer.signedIn
  } catch (thrown) {
    const problem = toProblem(thrown)
    if (problem.kind === 'unreachable') sawDaemon(false)
    else tellProblem(problem)
  }
}

/**
 * Keeps it current: `steward open` signs in through another tab, and a restarted daemon may have
 * another key.
 */
export const followSignIn = (): (() => void) => {
  const endings = [
    onChange(['settings'], () => void ask()),
    whileVisible(() => {
      void ask()
      return () => undefined
    }),
  ]
  return () => {
    for (const end of endings) end()
  }
}
