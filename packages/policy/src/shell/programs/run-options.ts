import { MARK } from '../marks.ts'
import { type Call, valuesGiven } from '../program.ts'
import { copyState } from '../shell-state.ts'
import { runCode } from './run-code.ts'

/** Options whose value the program runs as a command line. */
const RUN_OPTIONS: Readonly<Record<string, string>> = {
  split: '--filter',
  man: '-P --pager -H --html',
  sort: '--compress-program',
  rg: '--pre --hostname-bin',
  scp: '-S',
  sftp: '-S',
  rsync: '-e --rsh',
  tar: '-F --info-script --new-volume-script --rsh-command -I --use-compress-program --to-command',
  gtar: '-F --info-script --rsh-command -I --use-compress-program --to-command',
  bsdtar: '--use-compress-program',
  zip: '-TT --unzip-command',
  go: '-exec -toolexec -vettool',
  tcpdump: '-z',
  nodemon: '-x --exec',
  hyperfine: '-p --prepare -s --setup -c --cleanup -C --conclude --reference',
  xterm: '-e',
  rxvt: '-e',
  urxvt: '-e',
  konsole: '-e',
  alacritty: '-e --command',
  kitty: '-e',
  'xfce4-terminal': '-e --command -x',
  'gnome-terminal': '-e --command',
  'x-terminal-emulator': '-e',
  ansible: '-a --args',
  wget: '--use-askpass',
  mutt: '-e',
  'tsc-watch': '--onSuccess --onFailure --onFirstSuccess',
  fzf: '--preview',
  'inotify-hookable': '-c',
  chokidar: '-c --command',
  npm: '--script-shell',
  gpg: '--photo-viewer',
  'yt-dlp': '--exec --exec-before-download',
  'youtube-dl': '--exec',
  aria2c: '--on-download-complete --on-download-start --on-download-error',
}

/** Programs whose every operand is a command line of its own. */
const RUN_OPERANDS = new Set(['hyperfine', 'concurrently', 'mprocs'])

/** Settings that a program takes as `NAME=value` and runs. */
const RUN_ASSIGNMENTS: Readonly<Record<string, RegExp>> = {
  make: /^(?:SHELL|CC|CXX|LD|AR|\.SHELLFLAGS)=(.+)$/s,
  gmake: /^(?:SHELL|CC|CXX|LD|AR|\.SHELLFLAGS)=(.+)$/s,
}

/** Follows the command lines that a call brings along in its options. */
export const runOptions = (call: Call): void => {
  const { name, args, state } = call
  const options = Object.hasOwn(RUN_OPTIONS, name) ? (RUN_OPTIONS[name]?.split(' ') ?? []) : []
  const texts = valuesGiven(args, options)
  if (RUN_OPERANDS.has(name)) texts.push(...args.filter((arg) => /\s/.test(arg)))
  const assignment = Object.hasOwn(RUN_ASSIGNMENTS, name) ? RUN_ASSIGNMENTS[name] : undefined
  if (assignment !== undefined)
    texts.push(...args.flatMap((arg) => assignment.exec(arg)?.[1] ?? []))
  for (const text of new Set(texts)) {
    // A bare name is a program of the machine, and `key=value` an argument of a module.
    if (/^[\w./+-]*$/.test(text)) continue
    const inner = copyState(state)
    // split names the piece in it.
    if (name === 'split') inner.variables.set('FILE', [MARK.segment])
    runCode(call, text, '', inner)
  }
}
