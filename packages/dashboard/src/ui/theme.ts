const STORED = 'steward.theme'
const THEMES = ['dark', 'light', 'system'] as const
export type Theme = (typeof THEMES)[number]

export const readTheme = (): Theme =>
  THEMES.find((theme) => theme === localStorage.getItem(STORED)) ?? 'system'

/** The browser then colours fields and scrollbars as well. */
const show = (theme: Theme): void => {
  document.documentElement.style.colorScheme = theme === 'system' ? '' : theme
}

export const chooseTheme = (theme: Theme): void => {
  localStorage.setItem(STORED, theme)
  show(theme)
}

/** Called before anything is drawn, so that nothing flashes. */
export const restoreTheme = (): void => show(readTheme())
