import { quote, quoteAll } from '../text/shell-quote.ts'
import { FILTER_FD, type Launch } from './start-process.ts'

export interface BubblewrapLaunch {
  bwrap: string
  /** Files to write `0` to, which applies the session's limits before anything else runs. */
  limitEntries: readonly string[]
  /**
   * Set when root starts it for a session's own user: paths are staged where that user can reach
   * them, in a separate mount namespace, and privileges are dropped before bubblewrap starts.
   */
  staged?: { owner: number; stage: string; paths: ReadonlyMap<string, string> }
  /**
   * Starts bubblewrap in a new network namespace, after these lines set it up. The namespace belongs
   * to a user namespace outside of the sandbox, so that no program inside can change it.
   */
  network?: { setUp: readonly string[]; isRoot: boolean }
}

/**
 * The chain of programs that starts bubblewrap with limits, a filter or its own user; each one
 * execs the next, so that only one process remains.
 */
export const launchBubblewrap = (argv: readonly string[], options: BubblewrapLaunch): Launch => {
  const { staged, limitEntries, bwrap, network } = options
  const enter = [...limitEntries.map((file) => `echo 0 > ${quote(file)}`), CLOSE_INHERITED]
  const setUp = network?.setUp ?? []
  if (staged === undefined) {
    const start = [...setUp, `exec ${quoteAll([bwrap, ...argv])}`]
    if (network === undefined) return runScript([...enter, ...start])
    const { command, args } = runScript(start)
    const unshare = ['unshare', ...(network.isRoot ? [] : ['--user', '--map-root-user']), '--net']
    return runScript([...enter, `exec ${quoteAll([...unshare, '--', command, ...args])}`])
  }
  const { owner, stage, paths } = staged
  const lines = [
    ...enter,
    ...setUp,
    `mount -t tmpfs -o mode=755,size=1m,nosuid,nodev steward ${quote(stage)}`,
    ...[...paths].flatMap(([host, place]) => [
      `if [ -d ${quote(host)} ]; then mkdir ${quote(place)}; else : > ${quote(place)}; fi`,
      `mount --bind ${quote(host)} ${quote(place)}`,
    ]),
    `exec setpriv --reuid ${owner} --regid ${owner} --clear-groups --inh-caps=-all --bounding-set=-all -- ${quoteAll([bwrap, ...argv])}`,
  ]
  const inner = runScript(lines)
  const unshare = [
    '--mount',
    ...(network === undefined ? [] : ['--net']),
    '--propagation',
    'private',
  ]
  return { command: 'unshare', args: [...unshare, '--', inner.command, ...inner.args] }
}

/**
 * Descriptors inherited by this process would leak into the sandbox, and an open folder is an
 * escape. Only the sandbox's own pipes stay open.
 */
const CLOSE_INHERITED = [
  'for fd in /proc/$$/fd/*; do',
  '  fd=${fd##*/}',
  `  if (( fd > ${FILTER_FD} )); then eval "exec $fd>&-"; fi`,
  'done',
].join('\n')

const runScript = (lines: readonly string[]): Launch => ({
  command: '/bin/bash',
  args: ['--noprofile', '--norc', '-ec', lines.join('\n')],
})

/** Folders that exist everywhere and that a mount may cover temporarily. */
const STAGES = ['/mnt', '/media', '/srv', '/opt']

/** Chooses a folder that hides none of the staged paths, including the system's. */
export const chooseStage = (
  hosts: readonly string[],
  exists: (path: string) => boolean,
): string | undefined =>
  STAGES.find(
    (stage) =>
      exists(stage) && !hosts.some((host) => host === stage || host.startsWith(`${stage}/`)),
  )
