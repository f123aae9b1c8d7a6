import { codeOf } from '../error-code.ts'

/** Kills a process immediately; ignores one that already ended. */
export const endProcess = (pid: number | undefined): void => {
  if (isSomeone(pid)) kill(pid)
}

/** Kills the process group that a process leads, including its children. */
export const endGroup = (head: number | undefined): void => {
  if (isSomeone(head)) kill(-head)
}

/** 0 would be this process's own group and 1 is init, so both are refused. */
const isSomeone = (pid: number | undefined): pid is number => pid !== undefined && pid > 1

const kill = (target: number): void => {
  try {
    process.kill(target, 'SIGKILL')
  } catch (thrown) {
    if (codeOf(thrown) !== 'ESRCH') throw thrown
  }
}
