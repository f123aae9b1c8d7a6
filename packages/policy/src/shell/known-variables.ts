import { MARK } from './marks.ts'

/**
 * Typical values of variables set by shells and desktops, used if the environment does not contain
 * them.
 */
export const knownVariable = (name: string, home: string): string | undefined => {
  switch (name) {
    case 'HOME':
      return home
    case 'TMPDIR':
    case 'TMP':
    case 'TEMP':
      return '/tmp'
    case 'XDG_CONFIG_HOME':
      return `${home}/.config`
    case 'XDG_CACHE_HOME':
      return `${home}/.cache`
    case 'XDG_DATA_HOME':
      return `${home}/.local/share`
    case 'XDG_STATE_HOME':
      return `${home}/.local/state`
    case 'CARGO_HOME':
      return `${home}/.cargo`
    case 'GOPATH':
      return `${home}/go`
    case 'GITHUB_OUTPUT':
    case 'GITHUB_ENV':
    case 'GITHUB_STEP_SUMMARY':
      return `/tmp/${MARK.segment}`
    case 'IFS':
      return ' \t\n'
    case 'SHELL':
      return '/bin/bash'
    case 'EDITOR':
    case 'VISUAL':
    case 'USER':
    case 'LOGNAME':
    case 'HOSTNAME':
    case 'UID':
    case 'EUID':
    case 'RANDOM':
    case 'SECONDS':
    case 'LINENO':
    case 'BASHPID':
    case 'PPID':
    case 'LANG':
    case 'TERM':
    case 'COLUMNS':
    case 'LINES':
    case '$':
    case '?':
    case '#':
    case '!':
    case '-':
      return MARK.segment
    default:
      return undefined
  }
}
