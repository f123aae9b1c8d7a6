import { INSIDE } from '../sandbox/sandbox.ts'

/** The system's own places, and the ones that a sandbox is made of. */
const RESERVED =
  '/bin /boot /dev /etc /lib /lib32 /lib64 /libx32 /opt/packages /proc /run /sbin /sys /usr'
const MADE: readonly string[] = Object.values(INSIDE)

/** Why nothing can be mounted at a path inside; nothing when it can. */
export const refusalOfMountPath = (path: string): string | undefined => {
  if (!path.startsWith('/') || path.includes('\0') || /(^|\/)\.{0,2}(\/|$)/.test(path.slice(1))) {
    return `${path} is not an absolute path without empty, . and .. parts`
  }
  const reserved = RESERVED.split(' ').find((root) => isAt(path, root))
  if (reserved !== undefined) return `${reserved} belongs to the sandbox itself`
  const covered = MADE.find((root) => isAt(root, path))
  return covered === undefined ? undefined : `it would cover ${covered}`
}

/** Whether the session can write there, so that nothing may be mounted or written from outside. */
export const isSessionOwned = (path: string): boolean => MADE.some((root) => isAt(path, root))

const isAt = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`)
