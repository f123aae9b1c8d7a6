import { quote, quoteAll } from '../text/shell-quote.ts'
import { FILTER_FD, type Launch } from './start-process.ts'

export interface BubblewrapLaunch {
  bwrap: string
  /** Files to write `0` to, to be under the session's limits before anything else happens. */
  limitEntries: readonly string[]
  /**
   * Set when root starts it for a user of the session's own: paths are staged where that user can
   * reach them, in a mount namespace of their own, and rights are given up before bubblewrap begins.
   */
  staged?: { owner: number; stage: string; paths: ReadonlyMap<string, string> }
}

/**
 * Everything from this process to a bubblewrap with limits, a filter or a user of its own; each step
 * becomes the next, so that one process is left.
 */
export const launchBubblewrap = (argv: readonly string[], options: BubblewrapLaunch): Launch => {
  const { staged, limitEntries, bwrap } = options
  const enter = [...limitEntries.map((file) => `echo 0 > ${quote(file)}`), CLOSE_INHERITED]
  if (staged === undefined) return runScript([...enter, `exec ${quoteAll([bwrap, ...argv])}`])
  const { owner, stage, paths } = staged
  const lines = [
    ...enter,
    `mount -t tmpfs -o mode=755,size=1m,nosuid,nodev steward ${quote(stage)}`,
    ...[...paths].flatMap(([host, place]) => [
      `if [ -d ${quote(host)} ]; then mkdir ${quote(place)}; else : > ${quote(place)}; fi`,
      `mount --bind ${quote(host)} ${quote(place)}`,
    ]),
    `exec setpriv --reuid ${owner} --regid ${owner} --clear-groups --inh-caps=-all --bounding-set=-all -- ${quoteAll([bwrap, ...argv])}`,
  ]
  const inner = runScript(lines)
  return {
    command: 'unshare',
    args: ['--mount', '--propagation', 'private', '--', inner.command, ...inner.args],
  }
}

/**
 * What this process itself inherited open from whoever started it would go on into the sandbox, and an
 * open folder is a way out. Only the pipes that belong to the sandbox stay.
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

/** Folders that exist everywhere and that a mount may cover for a moment. */
const STAGES = ['/mnt', '/media', '/srv', '/opt']

/** One that hides none of the paths to be staged, the system's own included. */
export const chooseStage = (
  hosts: readonly string[],
  exists: (path: string) => boolean,
): string | undefined =>
  STAGES.find(
    (stage) =>
      exists(stage) && !hosts.some((host) => host === stage || host.startsWith(`${stage}/`)),
  )
