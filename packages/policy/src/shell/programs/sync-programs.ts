import { hasFlag, type Program, readArguments } from '../program.ts'
import { runSshSettings } from './network-programs.ts'
import { writeInto } from './write-into.ts'

const synchronise: Program = (call) => {
  const read = readArguments(
    call.args,
    [
      'e',
      'rsh',
      'exclude',
      'include',
      'filter',
      'f',
      'files-from',
      'P',
      'i',
      'o',
      'F',
      'l',
      'S',
      'J',
      'c',
      'rsync-path',
      'bwlimit',
    ].filter((name) =>
      call.name === 'rsync'
        ? name !== 'P' &&
          name !== 'i' &&
          name !== 'o' &&
          name !== 'l' &&
          name !== 'c' &&
          name !== 'S'
        : true,
    ),
  )
  const isRemote = (path: string) => /^[^/]+:/.test(path)
  const sources = read.operands.slice(0, -1)
  const target = read.operands.at(-1)
  const recursive = call.name === 'rsync' || hasFlag(read, 'r')
  if (call.name === 'scp') runSshSettings(call)
  const isRehearsed = hasFlag(read, 'n', 'dry-run')
  const takesSources = hasFlag(read, 'remove-source-files', 'remove-sent-files') && !isRehearsed
  const deletes = [...read.flags].some((flag) => /^del(ete.*)?$/.test(flag)) && !isRehearsed
  for (const source of sources.filter((path) => !isRemote(path))) {
    call.shell.read(source, { recursive })
    if (takesSources) call.shell.remove(source, { recursive: true })
  }
  if (target === undefined) return ''
  if (isRemote(target)) {
    if (deletes) {
      call.shell.emit({
        kind: 'hazard',
        rule: 'builtin:remote-delete',
        verdict: 'ask',
        reason: `${call.name} deletes what ${target} has and the source has not`,
      })
    }
    call.shell.emit({ kind: 'network', program: call.name, target, sends: true })
    return ''
  }
  if (sources.some(isRemote)) {
    call.shell.emit({
      kind: 'network',
      program: call.name,
      target: sources.join(' '),
      sends: false,
    })
  }
  writeInto(call, sources, target)
  if (deletes) call.shell.remove(target, { recursive: true })
  return ''
}

/** Programs that copy trees, here or to another machine. */
export const SYNC_PROGRAMS: Record<string, Program> = { rsync: synchronise, scp: synchronise }
