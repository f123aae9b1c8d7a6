import { codeOf } from '../error-code.ts'

/** Ends a process at once; that it is gone already is what was wanted. */
export const endProcess = (pid: number | undefined): void => {
  if (isSomeone(pid)) kill(pid)
}

/** Ends the group that a process heads, and with it what that one started. */
export const endGroup = (head: number | undefined): void => {
  if (isSomeone(head)) kill(-head)
}

/** 0 would be this process's own group, and 1 is everyone's first: neither is ever meant. */
const isSomeone = (pid: number | undefined): pid is number => pid !== undefined && pid > 1

const kill = (target: number): void => {
  try {
    process.kill(target, 'SIGKILL')
  } catch (thrown) {
    if (codeOf(thrown) !== 'ESRCH') throw thrown
  }
}
