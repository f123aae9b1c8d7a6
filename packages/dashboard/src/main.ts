import './ui/tokens.css'
import './ui/base.css'
import { mount } from 'svelte'
import App from './App.svelte'
import { nextTask } from './live/next-task.ts'
import { findPage } from './pages/pages.ts'
import { restoreTheme } from './ui/theme.ts'

restoreTheme()
const target = document.getElementById('app')
if (target === null) throw new Error('the page has no place for the app')
// Requested before the frame around it is shown, which takes longer. The app handles a failure.
findPage(location.pathname)
  ?.load()
  .catch(() => undefined)
// Reading the program is one task, showing it another.
void nextTask().then(() => mount(App, { target }))
// Without it the app runs as well, but cannot be opened offline or notified.
void navigator.serviceWorker?.register('/sw.js').catch(() => undefined)
