// SPDX-License-Identifier: GPL-2.0
// Start the language server. Its client is a package of npm: without it, scripts are
// highlighted, and a message says how to get it.
'use strict';

const vscode = require('vscode');

let client;

exports.activate = () => {
	let languages;

	try {
		languages = require('vscode-languageclient/node');
	} catch {
		vscode.window.showWarningMessage(
			`ktap: run "npm install" in ${__dirname} for errors and completion in scripts`);
		return undefined;
	}
	const settings = vscode.workspace.getConfiguration('ktap');
	client = new languages.LanguageClient('ktap', 'ktap', {
		command: settings.get('languageServer'),
	}, {
		documentSelector: [{ language: 'ktap' }, { scheme: 'file', pattern: '**/*.bt' }],
	});
	return client.start();
};

exports.deactivate = () => client?.stop();
